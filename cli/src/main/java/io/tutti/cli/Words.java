package io.tutti.cli;

import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.UsageException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Prepares a command line for picocli: puts our long name in place of each option, even if another program's name for it was typed,
 * and makes sure that each option has its value, which may begin with a dash.
 */
final class Words {

    private static final String END_OF_OPTIONS = "--";

    private final CommandSpec command;

    private Words(CommandSpec command) {
        this.command = command;
    }

    /**
     * Reads {@code typed}; the words before a command stay as they are.
     *
     * @throws UsageException if an option is another program's and ours takes other values, or if another option stands where
     *     its value should
     */
    static String[] read(CommandLine root, String... typed) {
        for (int at = 0; at < typed.length; at++) {
            CommandLine command = root.getSubcommands().get(typed[at]);
            if (command != null) {
                List<String> words = new ArrayList<>(Arrays.asList(typed).subList(0, at + 1));
                new Words(command.getCommandSpec()).read(Arrays.asList(typed).subList(at + 1, typed.length), words);
                return words.toArray(String[]::new);
            }
        }
        return typed;
    }

    private void read(List<String> typed, List<String> words) {
        for (int i = 0; i < typed.size(); i++) {
            String word = typed.get(i);
            if (word.equals(END_OF_OPTIONS)) {
                words.addAll(typed.subList(i, typed.size()));
                return;
            }
            Optional<OptionSpec> known = option(name(word));
            if (known.isEmpty()) {
                words.add(word);
                continue;
            }
            OptionSpec option = known.get();
            String attached = word.substring(name(word).length());
            words.add(option.longestName() + attached);
            if (attached.isEmpty() && !BadUsage.isFlag(option) && i + 1 < typed.size()) {
                String next = typed.get(++i);
                if (!isValue(next, word)) {
                    throw new UsageException(BadUsage.missing(option, command));
                }
                words.add(next);
            }
        }
    }

    private static String name(String word) {
        int equals = word.indexOf('=');
        return equals < 0 ? word : word.substring(0, equals);
    }

    private Optional<OptionSpec> option(String name) {
        if (name.length() < 2 || !name.startsWith("-")) {
            return Optional.empty();
        }
        return own(name).or(() -> own(inOurSpelling(name))).or(() -> foreign(name));
    }

    private Optional<OptionSpec> foreign(String name) {
        Optional<ForeignOption> foreign =
                ForeignOption.called(name).or(() -> ForeignOption.called(inOurSpelling(name)));
        Optional<OptionSpec> ours = foreign.flatMap(option -> own(option.ours()));
        if (ours.isPresent()) {
            foreign.get().instead().ifPresent(instead -> {
                throw new UsageException("unknown option " + OneLine.quote(name) + "; did you mean " + instead + "? ("
                        + command.qualifiedName() + " --help lists all)");
            });
        }
        return ours;
    }

    /** {@code -top_p} is {@code --top-p}. */
    private static String inOurSpelling(String name) {
        String word = name.replaceFirst("^--?", "").replace('_', '-');
        return word.length() > 1 ? "--" + word : name;
    }

    private Optional<OptionSpec> own(String name) {
        return Optional.ofNullable(command.optionsMap().get(name));
    }

    /** Whether {@code next} is the value of the option typed as {@code option}, not an option itself. */
    private boolean isValue(String next, String option) {
        Optional<OptionSpec> known = own(name(next));
        boolean common =
                known.isPresent() && (known.get().usageHelp() || known.get().versionHelp());
        boolean isShort = name(next).length() == 2;
        // "--stop -n" stops at "-n", but "-p -n" lacks its prompt.
        return !next.equals(END_OF_OPTIONS) && (known.isEmpty() || (isShort && !common && option.startsWith("--")));
    }
}
