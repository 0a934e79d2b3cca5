package io.tutti.cli.console;

import io.tutti.kv.KvDtype;
import io.tutti.sample.InvalidLogitsException;
import java.nio.file.Path;

/**
 * What to say where a model's output is such that no token can be chosen from it.
 *
 * @param model the model's directory
 * @param cache what the run's cache stores
 */
public record InvalidOutput(Path model, KvDtype cache) {

    /** Without the model's name, and without advice. */
    public static String text(InvalidLogitsException e) {
        return e.parameters().isEmpty()
                ? "the model's output: " + e.problem()
                : "with --" + String.join(" and --", e.parameters()) + ": " + e.problem();
    }

    /** With both. */
    public String line(InvalidLogitsException e) {
        if (!e.parameters().isEmpty()) {
            return text(e);
        }
        String advice = cache == KvDtype.F16 ? "; --kv f32 has a wider range than the cache's f16" : "";
        return model + ": " + text(e) + advice;
    }
}
