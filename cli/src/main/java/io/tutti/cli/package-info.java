/** The command line. */
package io.tutti.cli;
