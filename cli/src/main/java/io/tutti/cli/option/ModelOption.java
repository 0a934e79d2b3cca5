package io.tutti.cli.option;

import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.RefusedException;
import io.tutti.cli.console.UsageException;
import io.tutti.hub.HubCache;
import io.tutti.hub.HubEnvironment;
import io.tutti.hub.HubException;
import io.tutti.hub.ModelName;
import io.tutti.hub.PastedName;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which model: the first argument, or {@code --model}; a directory, or the name of one in the Hugging Face cache. */
public final class ModelOption {

    private static final String ARGUMENT = "MODEL";
    private static final String OPTION = "--model";

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = ARGUMENT,
            description = "The model: a directory with config.json and safetensors weights, or owner/name[@revision]"
                    + " of one in the Hugging Face cache (`tutti pull` downloads it), or the address of its page.")
    private String argument;

    @Option(
            names = {"-m", OPTION},
            paramLabel = ARGUMENT,
            description = "The model, in place of the first argument.")
    private String option;

    /** The model's directory. Where {@code --model} gives it, the first argument is the prompt. */
    public Path path(PromptOptions prompts) {
        return path(prompts::takeArgument);
    }

    /** The model's directory. Where {@code --model} gives it, the first argument is the message. */
    public Path path(ChatOptions chat) {
        return path(chat::takeArgument);
    }

    private Path path(Predicate<String> taker) {
        if (argument != null && option != null && taker.test(argument)) {
            argument = null;
        }
        return path();
    }

    /** The model as it was given. */
    public String text() {
        return argument != null ? argument : option;
    }

    /** Whether there is a model. */
    public boolean isGiven() {
        return argument != null || option != null;
    }

    /**
     * The model's directory. What exists is taken as it is, whatever it holds; only then is a name looked up.
     *
     * @throws HubException if it is a name, and not in the cache
     * @throws RefusedException if it is neither
     */
    public Path path() {
        if (argument != null && option != null) {
            throw new UsageException("the model is given twice, as " + OneLine.quote(argument) + " and as " + OPTION
                    + " " + OneLine.quote(option) + "; accepted: one of the two");
        }
        if (!isGiven()) {
            throw new UsageException(
                    "no model is given; accepted: a model directory, or a name as in `tutti pull`, as the"
                            + " first argument or with " + OPTION);
        }
        String name = argument != null ? ARGUMENT : OPTION;
        if (text().isEmpty()) {
            throw UsageException.of(name, "\"\"", "a path");
        }
        return existing(text()).orElseGet(() -> cached(name, text()));
    }

    private static Optional<Path> existing(String model) {
        try {
            return Optional.of(Path.of(model)).filter(Files::exists);
        } catch (InvalidPathException _) {
            return Optional.empty(); // On Windows an address is one.
        }
    }

    private static Path cached(String option, String model) {
        HubEnvironment environment = HubEnvironment.ofProcess();
        ModelName name = PastedName.parse(model, environment)
                .map(PastedName::model)
                .orElseThrow(
                        () -> new RefusedException(path(option, model) + ": no such directory; a model is a Hugging"
                                + " Face style directory with config.json and model.safetensors, or " + ModelName.FORM
                                + " of one in the Hugging Face cache"));
        return new HubCache(environment.cache()).find(name);
    }

    /**
     * The name of a model at the hub, from an argument that can be nothing else.
     *
     * @param argument null if it is missing
     * @throws UsageException if it is missing, or no name
     */
    public static PastedName named(String argument, HubEnvironment environment) {
        if (argument == null) {
            throw new UsageException("no model is given; accepted: " + PastedName.FORM);
        }
        return PastedName.parse(argument, environment)
                .orElseThrow(() -> UsageException.of(ARGUMENT, OneLine.quote(argument), PastedName.FORM));
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
