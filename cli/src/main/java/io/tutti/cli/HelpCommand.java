package io.tutti.cli;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.UsageException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The help of a command, or of all: what {@code --help} shows. */
@Command(
        name = "help",
        customSynopsis = "tutti help [COMMAND]",
        header = "Show what there is, or a command's options.",
        description = "The same text as `tutti COMMAND --help`.")
final class HelpCommand implements Callable<Integer> {

    private final Console console;

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", arity = "0..1", paramLabel = "COMMAND", description = "A command, such as generate.")
    private Optional<String> command;

    HelpCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        CommandSpec root = spec.parent();
        CommandSpec shown = command.isEmpty() ? root : named(command.get(), root);
        console.print(shown.commandLine().getUsageMessage(Ansi.OFF));
        return ExitCode.DONE;
    }

    private static CommandSpec named(String name, CommandSpec root) {
        CommandLine command = root.subcommands().get(name);
        if (command == null) {
            throw new UsageException(BadUsage.unknownCommand(name, root));
        }
        return command.getCommandSpec();
    }
}
