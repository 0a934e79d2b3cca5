package io.tutti.cli.command;

import io.tutti.cli.console.Console;
import picocli.CommandLine.Command;

/** {@code chat}, by the name that users of Ollama know. */
@Command(
        name = "run",
        customSynopsis = "tutti run MODEL [MESSAGE] [OPTIONS]",
        header = "The same as chat, by Ollama's name.")
public final class RunCommand extends ChatCommand {

    public RunCommand(Console console) {
        super(console);
    }
}
