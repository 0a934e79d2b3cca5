package io.tutti.cli.option;

import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.UsageException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which model: the first argument, or {@code --model}. */
public final class ModelOption {

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "MODEL",
            description = "The model: a Hugging Face style directory with config.json and safetensors weights.")
    private String argument;

    @Option(names = "--model", paramLabel = "DIR", description = "The model, in place of the first argument.")
    private String option;

    /** The directory named; whether it is one is for others to find out. */
    public Path path() {
        if (argument != null && option != null) {
            throw new UsageException("the model is given twice, as " + OneLine.quote(argument) + " and as --model "
                    + OneLine.quote(option) + "; accepted: one of the two");
        }
        String name = argument != null ? argument : option;
        if (name == null) {
            throw new UsageException(
                    "no model is given; accepted: a model directory as the first argument, or with --model DIR");
        }
        return path(argument != null ? "MODEL" : "--model", name);
    }

    /** A path from a command line. */
    static Path path(String option, String name) {
        if (name.isEmpty()) {
            throw UsageException.of(option, "\"\"", "a path");
        }
        try {
            return Path.of(name);
        } catch (InvalidPathException e) {
            throw UsageException.of(option, OneLine.quote(name), "a path that this system can have");
        }
    }
}
