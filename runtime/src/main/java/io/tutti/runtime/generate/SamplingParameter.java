package io.tutti.runtime.generate;

import io.tutti.sample.SamplingParams;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.ToDoubleFunction;

/** A parameter of how tokens are chosen. */
@SuppressWarnings("ImmutableEnumChecker") // references to methods of a record
public enum SamplingParameter {
    TEMPERATURE(SamplingParams::withTemperature, SamplingParams::temperature),
    TOP_K((params, value) -> params.withTopK(value.intValue()), SamplingParams::topK),
    TOP_P(SamplingParams::withTopP, SamplingParams::topP),
    MIN_P(SamplingParams::withMinP, SamplingParams::minP),
    REPETITION_PENALTY(SamplingParams::withRepetitionPenalty, SamplingParams::repetitionPenalty),
    PRESENCE_PENALTY(SamplingParams::withPresencePenalty, SamplingParams::presencePenalty),
    FREQUENCY_PENALTY(SamplingParams::withFrequencyPenalty, SamplingParams::frequencyPenalty);

    private final BiFunction<SamplingParams, Double, SamplingParams> with;
    private final ToDoubleFunction<SamplingParams> value;

    SamplingParameter(BiFunction<SamplingParams, Double, SamplingParams> with, ToDoubleFunction<SamplingParams> value) {
        this.with = with;
        this.value = value;
    }

    /** Its name in generation_config.json, as in {@code top_p}. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Its name on a command line, as in {@code top-p}. */
    public String word() {
        return key().replace('_', '-');
    }

    /** The parameter called {@code word}, as {@link #word} has it. */
    public static Optional<SamplingParameter> of(String word) {
        return Arrays.stream(values())
                .filter(parameter -> parameter.word().equals(word))
                .findFirst();
    }

    /**
     * {@code params} with this value.
     *
     * @throws io.tutti.sample.InvalidSamplingParamException if the value is not accepted
     */
    public SamplingParams set(SamplingParams params, double to) {
        return with.apply(params, to);
    }

    /** Its value in {@code params}. */
    public double get(SamplingParams params) {
        return value.applyAsDouble(params);
    }

    /** Whether it changes anything when the likeliest token is always taken: penalties alone do. */
    boolean countsWhenGreedy() {
        return this == REPETITION_PENALTY || this == PRESENCE_PENALTY || this == FREQUENCY_PENALTY;
    }
}
