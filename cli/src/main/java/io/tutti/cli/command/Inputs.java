package io.tutti.cli.command;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.RefusedException;
import io.tutti.modelio.ModelException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What a run reads. */
final class Inputs {
    private Inputs() {}

    /**
     * Says that what is piped into standard input is left there, if something is.
     *
     * @param why it is, and what reads it
     */
    static void noteUnread(Console console, String why) {
        if (console.hasUnreadInput()) {
            console.note("standard input is not read, because " + why);
        }
    }

    /**
     * Makes sure that {@code target} is none of them: replacing what the run reads would destroy it.
     *
     * @param option the option that names {@code target}
     * @param model the model's directory
     * @param prompt the prompt's file, if it comes from one
     * @throws RefusedException if it is one of them
     */
    static void requireNone(String option, Path target, Path model, Optional<Path> prompt) {
        if (!Files.exists(target)) {
            return;
        }
        List<Path> inputs = new ArrayList<>(prompt.stream().toList());
        try {
            if (Files.isDirectory(model)) {
                try (Stream<Path> files = Files.list(model)) {
                    files.forEach(inputs::add);
                }
            }
            for (Path input : inputs) {
                if (Files.exists(input) && Files.isSameFile(input, target)) {
                    throw new RefusedException(option + " " + target + " is " + input
                            + ", which this run reads; accepted: a file that is neither the prompt's nor the model's");
                }
            }
        } catch (IOException e) {
            throw ModelException.io(target, e);
        }
    }
}
