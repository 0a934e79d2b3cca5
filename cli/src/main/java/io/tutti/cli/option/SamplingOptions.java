package io.tutti.cli.option;

import io.tutti.runtime.generate.Sampling;
import io.tutti.runtime.generate.SamplingParameter;
import java.util.Optional;
import picocli.CommandLine.Option;

/** How the next token is chosen. Each value is checked as it is read, so that the message names its option. */
public final class SamplingOptions {

    private Sampling given = Sampling.DEFAULTS;
    private Optional<Seed> seed = Optional.empty();

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

    /** What the options give. */
    public Sampling given() {
        return given;
    }

    /** The seed, if one is given. */
    public Optional<Seed> seed() {
        return seed;
    }

    @Option(
            names = "--temperature",
            paramLabel = "T",
            description = "0 takes the likeliest token every time; higher is more varied (default: the model's, or 0).")
    void temperature(String text) {
        set(SamplingParameter.TEMPERATURE, text);
    }

    @Option(
            names = "--top-k",
            paramLabel = "K",
            description = "Choose among the K likeliest tokens; 0: all (default: the model's, or 0).")
    void topK(String text) {
        set(SamplingParameter.TOP_K, text);
    }

    @Option(
            names = "--top-p",
            paramLabel = "P",
            description =
                    "Choose among the likeliest tokens that together reach probability P (default: the model's, or 1).")
    void topP(String text) {
        set(SamplingParameter.TOP_P, text);
    }

    @Option(
            names = "--min-p",
            paramLabel = "M",
            description =
                    "Choose among tokens at least M times as probable as the likeliest (default: the model's, or 0).")
    void minP(String text) {
        set(SamplingParameter.MIN_P, text);
    }

    @Option(
            names = "--repetition-penalty",
            paramLabel = "R",
            description = "Above 1: tokens of prompt and output become less likely (default: the model's, or 1).")
    void repetitionPenalty(String text) {
        set(SamplingParameter.REPETITION_PENALTY, text);
    }

    @Option(
            names = "--presence-penalty",
            paramLabel = "A",
            description = "Taken from a token's logit once the output has it (default: 0).")
    void presencePenalty(String text) {
        set(SamplingParameter.PRESENCE_PENALTY, text);
    }

    @Option(
            names = "--frequency-penalty",
            paramLabel = "F",
            description = "Taken from a token's logit for each time that the output has it (default: 0).")
    void frequencyPenalty(String text) {
        set(SamplingParameter.FREQUENCY_PENALTY, text);
    }

    @Option(
            names = {"-s", "--seed"},
            paramLabel = "S",
            description = "The same seed draws the same tokens; random draws one and tells it (default: 0; of a chat:"
                    + " random).")
    void seed(String text) {
        seed = Optional.of(Seed.parse("--seed", text));
    }

    private void set(SamplingParameter parameter, String text) {
        given = given.with(parameter, SamplingText.parse(parameter, "--" + parameter.word(), text));
    }
}
