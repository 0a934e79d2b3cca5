/** How fast a model runs, beside what the machine can do. */
package io.tutti.cli.bench;
