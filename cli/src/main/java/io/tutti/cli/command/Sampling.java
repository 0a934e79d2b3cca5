package io.tutti.cli.command;

import io.tutti.cli.option.SamplingOptions;
import io.tutti.engine.generate.SamplingDefaults;
import io.tutti.modelio.config.ModelConfig;
import io.tutti.modelio.config.SamplingConfig;
import io.tutti.sample.SamplingParams;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * How a run chooses its tokens: as its options say, and where they say nothing as generation_config.json does.
 *
 * @param note what was taken from the file, to be said once the model has loaded
 */
record Sampling(SamplingParams params, Optional<String> note) {

    /** @throws io.tutti.modelio.ModelException if the file's values are refused */
    static Sampling of(SamplingOptions options, Path directory) {
        SamplingParams greedy = SamplingParams.greedy();
        SamplingParams defaults =
                options.modelDefaults() ? SamplingDefaults.of(SamplingConfig.load(directory)) : greedy;
        SamplingParams params = options.over(defaults);
        List<String> taken = said(defaults, name -> !options.gives(name) && counts(name, params));
        return new Sampling(
                params,
                taken.isEmpty()
                        ? Optional.empty()
                        : Optional.of(ModelConfig.GENERATION_FILE_NAME + ": " + String.join(", ", taken)
                                + " (--no-model-defaults leaves it aside)"));
    }

    /**
     * The model's config, with generation_config.json's end tokens unless that file is to be left aside.
     *
     * @throws io.tutti.modelio.ModelException if a file is refused
     */
    static ModelConfig config(SamplingOptions options, Path directory) {
        return options.modelDefaults() ? ModelConfig.load(directory) : ModelConfig.loadAlone(directory);
    }

    /** The likeliest token depends on penalties alone. */
    private static boolean counts(String name, SamplingParams params) {
        return !params.isGreedy() || name.endsWith("penalty");
    }

    /** What a model's defaults are, in words. */
    static String text(SamplingParams defaults) {
        List<String> said = said(defaults, _ -> true);
        if (defaults.isGreedy()) {
            said.addFirst("greedy");
        }
        return String.join(", ", said);
    }

    /** Those of the values that a file can set and that do anything. */
    private static List<String> said(SamplingParams params, Predicate<String> wanted) {
        SamplingParams off = SamplingParams.greedy();
        List<String> said = new ArrayList<>();
        say(said, wanted, "temperature", params.temperature(), off.temperature());
        say(said, wanted, "top-k", params.topK(), off.topK());
        say(said, wanted, "top-p", params.topP(), off.topP());
        say(said, wanted, "min-p", params.minP(), off.minP());
        say(said, wanted, "repetition-penalty", params.repetitionPenalty(), off.repetitionPenalty());
        return said;
    }

    private static void say(List<String> said, Predicate<String> wanted, String name, double value, double off) {
        if (value != off && wanted.test(name)) {
            boolean whole = value == Math.rint(value) && Math.abs(value) <= Integer.MAX_VALUE;
            said.add(name + " " + (whole ? String.format(Locale.ROOT, "%.0f", value) : String.valueOf(value)));
        }
    }
}
