package io.tutti.cli.option;

import io.tutti.cli.console.UsageException;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.model.StoredModel;
import java.util.OptionalInt;
import picocli.CommandLine.Option;

/** How long a text may be, prompt and new tokens together. */
public final class ContextOption {

    private OptionalInt context = OptionalInt.empty();

    @Option(
            names = "--context",
            paramLabel = "N",
            description = "Positions that a text may have, prompt and new tokens together, and the room of a chat"
                    + " (default and at most: what config.json and its rope_scaling say).")
    void context(String text) {
        context = OptionalInt.of(Numbers.positive("--context", text));
    }

    /** The number given, if there is one. */
    public OptionalInt given() {
        return context;
    }

    /**
     * The model with this context.
     *
     * @throws UsageException if its positions do not reach so far
     */
    public StoredModel of(StoredModel model) {
        if (context.isEmpty()) {
            return model;
        }
        ModelConfig config = model.config();
        if (context.getAsInt() > config.longestContext()) {
            throw UsageException.of(
                    "--context",
                    String.valueOf(context.getAsInt()),
                    "1 to " + config.longestContext() + ", for which the positions of " + model.directory()
                            + " are made (max_position_embeddings and rope_scaling in its config.json)");
        }
        return model.withContext(context.getAsInt());
    }
}
