package io.tutti.cli.option;

import io.tutti.cli.console.UsageException;
import io.tutti.sample.InvalidSamplingParamException;
import io.tutti.sample.SamplingParams;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Option;

/** How the next token is chosen. Each value is checked as it is read, so that the message names its option. */
public final class SamplingOptions {

    private SamplingParams params = SamplingParams.greedy();
    private long seed;

    public SamplingParams params() {
        return params;
    }

    /** All 64 bits; unsigned. */
    public long seed() {
        return seed;
    }

    @Option(
            names = "--temperature",
            paramLabel = "T",
            description = "0 takes the likeliest token every time; higher is more varied (default: 0).")
    void temperature(String text) {
        double value = Numbers.decimal("--temperature", text);
        set(text, p -> p.withTemperature(value));
    }

    @Option(
            names = "--top-k",
            paramLabel = "K",
            description = "Choose among the K likeliest tokens; 0: all (default: 0).")
    void topK(String text) {
        int value = Numbers.integer("--top-k", text, 0, Integer.MAX_VALUE);
        set(text, p -> p.withTopK(value));
    }

    @Option(
            names = "--top-p",
            paramLabel = "P",
            description = "Choose among the likeliest tokens that together reach probability P (default: 1).")
    void topP(String text) {
        double value = Numbers.decimal("--top-p", text);
        set(text, p -> p.withTopP(value));
    }

    @Option(
            names = "--min-p",
            paramLabel = "M",
            description = "Choose among tokens at least M times as probable as the likeliest (default: 0).")
    void minP(String text) {
        double value = Numbers.decimal("--min-p", text);
        set(text, p -> p.withMinP(value));
    }

    @Option(
            names = "--repetition-penalty",
            paramLabel = "R",
            description = "Above 1: tokens of prompt and output become less likely (default: 1).")
    void repetitionPenalty(String text) {
        double value = Numbers.decimal("--repetition-penalty", text);
        set(text, p -> p.withRepetitionPenalty(value));
    }

    @Option(
            names = "--presence-penalty",
            paramLabel = "A",
            description = "Taken from a token's logit once the output has it (default: 0).")
    void presencePenalty(String text) {
        double value = Numbers.decimal("--presence-penalty", text);
        set(text, p -> p.withPresencePenalty(value));
    }

    @Option(
            names = "--frequency-penalty",
            paramLabel = "F",
            description = "Taken from a token's logit for each time that the output has it (default: 0).")
    void frequencyPenalty(String text) {
        double value = Numbers.decimal("--frequency-penalty", text);
        set(text, p -> p.withFrequencyPenalty(value));
    }

    @Option(names = "--seed", paramLabel = "S", description = "The same seed draws the same tokens (default: 0).")
    void seed(String text) {
        seed = Numbers.seed("--seed", text);
    }

    private void set(String text, UnaryOperator<SamplingParams> with) {
        try {
            params = with.apply(params);
        } catch (InvalidSamplingParamException e) {
            throw UsageException.of("--" + e.parameter(), text, e.accepted());
        }
    }
}
