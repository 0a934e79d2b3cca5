package io.tutti.cli.command;

import io.tutti.cli.option.ContextOption;
import io.tutti.cli.option.Numbers;
import io.tutti.cli.option.SamplingOptions;
import io.tutti.engine.generate.SamplingDefaults;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.model.StoredModel;
import io.tutti.modelio.config.GenerationConfig;
import io.tutti.sample.SamplingParams;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * How a run chooses its tokens and where it ends: as its options say, and where they say nothing as
 * generation_config.json does, unless that is to be left aside.
 *
 * @param model with the file's end tokens
 * @param notes what was taken from the file, and what of it is not applied; to be said once the model has loaded
 */
record Sampling(StoredModel model, SamplingParams params, List<String> notes) {

    private static final String LEAVES_ASIDE = " (--no-model-defaults leaves it aside)";

    /** @throws io.tutti.modelio.ModelException if config.json is refused, or a value of generation_config.json is */
    static Sampling of(SamplingOptions options, ContextOption context, Path directory) {
        ModelConfig alone = ModelConfig.loadAlone(directory);
        GenerationConfig file =
                options.modelDefaults() ? GenerationConfig.load(directory) : GenerationConfig.absent(directory);
        SamplingDefaults found = defaults(options, file);
        SamplingParams defaults = found.params();
        SamplingParams params = options.over(defaults);
        List<String> notes = new ArrayList<>();
        found.note().ifPresent(note -> notes.add(GenerationConfig.FILE_NAME + ": " + note + LEAVES_ASIDE));
        List<String> taken = said(defaults, name -> !options.gives(name) && counts(name, params));
        if (!taken.isEmpty()) {
            notes.add(GenerationConfig.FILE_NAME + ": " + String.join(", ", taken) + LEAVES_ASIDE);
        }
        List<String> unapplied = file.unapplied().counting(!params.isGreedy());
        if (!unapplied.isEmpty()) {
            notes.add(GenerationConfig.FILE_NAME + ": " + unapplied(unapplied));
        }
        return new Sampling(context.of(new StoredModel(directory, alone.with(file))), params, notes);
    }

    private static SamplingDefaults defaults(SamplingOptions options, GenerationConfig file) {
        Predicate<String> given = key -> options.gives(key.replace('_', '-'));
        boolean coldByOption = options.gives("temperature")
                && options.over(SamplingParams.greedy()).isGreedy();
        return coldByOption ? SamplingDefaults.greedy(file, given) : SamplingDefaults.of(file, given);
    }

    /** That keys of the file are not applied, in words. */
    static String unapplied(List<String> keys) {
        return "not applied: " + String.join(", ", keys) + "; an engine that applies them may give other tokens";
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
            said.add(name + " " + Numbers.text(value));
        }
    }
}
