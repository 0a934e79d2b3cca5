package io.tutti.cli;

import io.tutti.cli.console.OneLine;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says what is wrong with a command line, in place of picocli's own words. */
final class BadUsage {

    private BadUsage() {}

    /** What is wrong with the command line that {@code e} refuses, and what is accepted. */
    static String line(ParameterException e) {
        CommandSpec command = e.getCommandLine().getCommandSpec();
        String help = help(command);
        return switch (e) {
            case UnmatchedArgumentException unmatched -> unmatched(unmatched, help);
            case ParameterException _
            when isFlag(e.getArgSpec()) ->
                name(e.getArgSpec()) + " is " + OneLine.quote(String.valueOf(e.getValue())) + "; accepted: "
                        + name(e.getArgSpec()) + " without a value";
            case OverwrittenOptionException twice -> name(twice.getOverwritten()) + " is given twice; accepted: once";
            case MissingParameterException missing -> missing(missing, command);
            default -> e.getMessage().lines().findFirst().orElse("bad usage") + " (" + help + " says more)";
        };
    }

    private static String unmatched(UnmatchedArgumentException e, String help) {
        String argument = e.getUnmatched().getFirst();
        CommandLine command = e.getCommandLine();
        if (e.isUnknownOption()) {
            if (command.getParent() == null && isOptionOfGenerate(argument, command)) {
                return "no command is given before " + OneLine.quote(argument) + "; did you mean tutti generate "
                        + argument + "?; accepted: " + commands(command.getCommandSpec());
            }
            List<String> near = e.getSuggestions();
            return "unknown option " + OneLine.quote(argument)
                    + (near.isEmpty() ? "" : "; did you mean " + near.getFirst() + "?") + " (" + help + " lists all)";
        }
        return command.getParent() == null
                ? unknownCommand(argument, command.getCommandSpec())
                : "unexpected argument " + OneLine.quote(argument) + "; accepted: what " + help
                        + " lists (a text with spaces takes quotes around it)";
    }

    private static boolean isOptionOfGenerate(String argument, CommandLine root) {
        return root.getSubcommands()
                .get("generate")
                .getCommandSpec()
                .optionsMap()
                .containsKey(argument);
    }

    /** Says that {@code root} has no command of that name, and which one is nearest. */
    static String unknownCommand(String name, CommandSpec root) {
        boolean isModel = name.contains("/") || name.contains("\\");
        Optional<String> near = isModel
                ? Optional.of("tutti chat " + OneLine.of(name))
                : NearestWord.to(name, root.subcommands().keySet());
        return "unknown command " + OneLine.quote(name)
                + near.map(word -> "; did you mean " + word + "?").orElse("")
                + "; accepted: " + commands(root);
    }

    /** What there is to call at the command line's root. */
    static String commands(CommandSpec root) {
        return String.join(", ", root.subcommands().keySet());
    }

    private static String missing(MissingParameterException e, CommandSpec command) {
        return e.getMissing().stream()
                .findFirst()
                .map(arg -> missing(arg, command))
                .orElse("a value is missing (" + help(command) + " says more)");
    }

    /** Says that {@code arg} of {@code command} lacks its value. */
    static String missing(ArgSpec arg, CommandSpec command) {
        return name(arg) + " has no value; accepted: " + name(arg) + " " + arg.paramLabel() + " (" + help(command)
                + " says more)";
    }

    private static String help(CommandSpec command) {
        return command.qualifiedName() + " --help";
    }

    /** Whether {@code arg} is an option without a value. */
    static boolean isFlag(ArgSpec arg) {
        return arg instanceof OptionSpec option && option.type() == boolean.class;
    }

    private static String name(ArgSpec arg) {
        return arg instanceof OptionSpec option ? option.longestName() : arg.paramLabel();
    }
}
