package io.tutti.cli;

import io.tutti.cli.bench.FreshProcess;
import io.tutti.cli.command.BenchCommand;
import io.tutti.cli.command.ChatCommand;
import io.tutti.cli.command.CompareCommand;
import io.tutti.cli.command.DemoCommand;
import io.tutti.cli.command.DevicesCommand;
import io.tutti.cli.command.GenerateCommand;
import io.tutti.cli.command.InspectCommand;
import io.tutti.cli.command.KeepCommand;
import io.tutti.cli.command.ListCommand;
import io.tutti.cli.command.LogitsCommand;
import io.tutti.cli.command.PullCommand;
import io.tutti.cli.command.QuantizeCommand;
import io.tutti.cli.command.RmCommand;
import io.tutti.cli.command.RunCommand;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.UsageException;
import io.tutti.cli.option.CommonOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command line's root: what there is to call. */
@Command(
        name = "tutti",
        header = "Runs large language models with the same bits on every device.",
        customSynopsis = "tutti COMMAND [OPTIONS]",
        footer = {
            "",
            "Begin with `tutti demo`. Each command has its own help: `tutti help generate`.",
            "Exit codes: 0 done; 1 the model, device or file was refused; 2 bad usage; 130 interrupted."
        })
final class Tutti implements Callable<Integer> {

    private static final int HELP_WIDTH = 110;

    @Spec
    private CommandSpec root;

    private Tutti() {}

    static CommandLine commandLine(Console console, FreshProcess fresh) {
        CommandLine root = new CommandLine(new Tutti())
                .addSubcommand(new DemoCommand(console))
                .addSubcommand(new GenerateCommand(console))
                .addSubcommand(new ChatCommand(console))
                .addSubcommand(new RunCommand(console))
                .addSubcommand(new LogitsCommand(console))
                .addSubcommand(new InspectCommand(console))
                .addSubcommand(new KeepCommand(console, fresh))
                .addSubcommand(new PullCommand(console))
                .addSubcommand(new ListCommand(console))
                .addSubcommand(new RmCommand(console))
                .addSubcommand(new QuantizeCommand(console))
                .addSubcommand(new DevicesCommand(console))
                .addSubcommand(new CompareCommand(console))
                .addSubcommand(new BenchCommand(console, fresh))
                .addSubcommand(new HelpCommand(console));
        root.addMixin("common", new CommonOptions());
        root.setExpandAtFiles(false);
        root.setAllowOptionsAsOptionParameters(true); // Words has seen to it that each has its value.
        root.setPosixClusteredShortOptionsAllowed(false); // "-seed" is no "-s eed".
        root.setUsageHelpWidth(HELP_WIDTH);
        root.getCommandSpec()
                .usageMessage()
                .synopsisHeading("%nUsage: ")
                .optionListHeading("%n")
                .commandListHeading("%nCommands:%n");
        root.getSubcommands().values().forEach(command -> {
            command.addMixin("common", new CommonOptions());
            HelpLayout.apply(command);
        });
        return root;
    }

    @Override
    public Integer call() {
        throw new UsageException(
                "no command is given; accepted: " + BadUsage.commands(root) + " (tutti --help says more)");
    }
}
