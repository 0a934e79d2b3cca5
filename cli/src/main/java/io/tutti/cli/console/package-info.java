/** What commands talk to: the standard streams, the user's wish to stop, and how a failure is said. */
package io.tutti.cli.console;
