/** The commands, one class each. */
package io.tutti.cli.command;
