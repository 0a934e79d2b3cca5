/** Options that several commands share, each parsed and checked in one place. */
package io.tutti.cli.option;
