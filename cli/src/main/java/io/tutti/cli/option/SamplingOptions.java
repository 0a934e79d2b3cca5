package io.tutti.cli.option;

import io.tutti.cli.console.UsageException;
import io.tutti.sample.InvalidSamplingParamException;
import io.tutti.sample.SamplingParams;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Option;

/** How the next token is chosen. Each value is checked as it is read, so that the message names its option. */
public final class SamplingOptions {

    /** What each option given changes, by the parameter's name as in {@code top-p}. */
    private final Map<String, UnaryOperator<SamplingParams>> given = new LinkedHashMap<>();

    private long seed;

    @Option(
            names = "--no-model-defaults",
            description =
                    "Leave generation_config.json aside: greedy and no penalty where no option says otherwise, and"
                            + " config.json's end tokens.")
    private boolean noModelDefaults;

    /** Whether generation_config.json counts for what no option says. */
    public boolean modelDefaults() {
        return !noModelDefaults;
    }

    /** {@code defaults}, but for the options given. */
    public SamplingParams over(SamplingParams defaults) {
        SamplingParams params = defaults;
        for (UnaryOperator<SamplingParams> change : given.values()) {
            params = change.apply(params);
        }
        return params;
    }

    /** Whether the parameter of that name, as in {@code top-p}, is given. */
    public boolean gives(String parameter) {
        return given.containsKey(parameter);
    }

    /** All 64 bits; unsigned. */
    public long seed() {
        return seed;
    }

    @Option(
            names = "--temperature",
            paramLabel = "T",
            description = "0 takes the likeliest token every time; higher is more varied (default: the model's, or 0).")
    void temperature(String text) {
        double value = Numbers.decimal("--temperature", text);
        set("temperature", text, p -> p.withTemperature(value));
    }

    @Option(
            names = "--top-k",
            paramLabel = "K",
            description = "Choose among the K likeliest tokens; 0: all (default: the model's, or 0).")
    void topK(String text) {
        int value = Numbers.integer("--top-k", text, 0, Integer.MAX_VALUE);
        set("top-k", text, p -> p.withTopK(value));
    }

    @Option(
            names = "--top-p",
            paramLabel = "P",
            description =
                    "Choose among the likeliest tokens that together reach probability P (default: the model's, or 1).")
    void topP(String text) {
        double value = Numbers.decimal("--top-p", text);
        set("top-p", text, p -> p.withTopP(value));
    }

    @Option(
            names = "--min-p",
            paramLabel = "M",
            description =
                    "Choose among tokens at least M times as probable as the likeliest (default: the model's, or 0).")
    void minP(String text) {
        double value = Numbers.decimal("--min-p", text);
        set("min-p", text, p -> p.withMinP(value));
    }

    @Option(
            names = "--repetition-penalty",
            paramLabel = "R",
            description = "Above 1: tokens of prompt and output become less likely (default: the model's, or 1).")
    void repetitionPenalty(String text) {
        double value = Numbers.decimal("--repetition-penalty", text);
        set("repetition-penalty", text, p -> p.withRepetitionPenalty(value));
    }

    @Option(
            names = "--presence-penalty",
            paramLabel = "A",
            description = "Taken from a token's logit once the output has it (default: 0).")
    void presencePenalty(String text) {
        double value = Numbers.decimal("--presence-penalty", text);
        set("presence-penalty", text, p -> p.withPresencePenalty(value));
    }

    @Option(
            names = "--frequency-penalty",
            paramLabel = "F",
            description = "Taken from a token's logit for each time that the output has it (default: 0).")
    void frequencyPenalty(String text) {
        double value = Numbers.decimal("--frequency-penalty", text);
        set("frequency-penalty", text, p -> p.withFrequencyPenalty(value));
    }

    @Option(names = "--seed", paramLabel = "S", description = "The same seed draws the same tokens (default: 0).")
    void seed(String text) {
        seed = Numbers.seed("--seed", text);
    }

    private void set(String parameter, String text, UnaryOperator<SamplingParams> with) {
        try {
            var _ = with.apply(SamplingParams.greedy());
        } catch (InvalidSamplingParamException e) {
            throw UsageException.of("--" + e.parameter(), text, e.accepted());
        }
        given.put(parameter, with);
    }
}
