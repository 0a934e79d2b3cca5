package io.tutti.cli.command;

import io.tutti.cli.option.SamplingText;
import io.tutti.modelio.config.GenerationConfig;
import io.tutti.runtime.generate.ResolvedSampling;
import io.tutti.runtime.generate.SamplingParameter;
import io.tutti.sample.SamplingParams;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What there is to say about a model's own way of choosing tokens. */
final class SamplingNotes {

    private static final String LEAVES_ASIDE = " (--no-model-defaults leaves it aside)";

    private SamplingNotes() {}

    /** What was taken from generation_config.json, and what of it is not applied; to be said once the model has loaded. */
    static List<String> of(ResolvedSampling sampling) {
        List<String> notes = new ArrayList<>();
        sampling.note().ifPresent(note -> notes.add(GenerationConfig.FILE_NAME + ": " + note + LEAVES_ASIDE));
        List<SamplingParameter> taken = sampling.taken();
        if (!taken.isEmpty()) {
            notes.add(GenerationConfig.FILE_NAME + ": " + String.join(", ", said(taken, sampling.defaults()))
                    + LEAVES_ASIDE);
        }
        if (!sampling.unapplied().isEmpty()) {
            notes.add(GenerationConfig.FILE_NAME + ": " + unapplied(sampling.unapplied()));
        }
        return notes;
    }

    /** That keys of the file are not applied, in words. */
    static String unapplied(List<String> keys) {
        return "not applied: " + String.join(", ", keys) + "; an engine that applies them may give other tokens";
    }

    /** What a model's defaults are, in words. */
    static String text(SamplingParams defaults) {
        SamplingParams off = SamplingParams.greedy();
        List<String> said = said(
                Arrays.stream(SamplingParameter.values())
                        .filter(parameter -> parameter.get(defaults) != parameter.get(off))
                        .toList(),
                defaults);
        if (defaults.isGreedy()) {
            said.addFirst("greedy");
        }
        return String.join(", ", said);
    }

    private static List<String> said(List<SamplingParameter> parameters, SamplingParams params) {
        List<String> said = new ArrayList<>();
        parameters.forEach(parameter -> said.add(parameter.word() + " " + SamplingText.text(parameter, params)));
        return said;
    }
}
