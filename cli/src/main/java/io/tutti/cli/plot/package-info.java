/** How pictures are drawn. */
package io.tutti.cli.plot;
