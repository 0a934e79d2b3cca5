package io.tutti.cli.option;

import io.tutti.cli.console.UsageException;
import io.tutti.sample.InvalidSamplingParamException;
import io.tutti.sample.SamplingParams;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.ToDoubleFunction;
import java.util.function.UnaryOperator;

/** A parameter of how tokens are chosen, which an option or {@code /set} gives. */
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

    /** Its name, as in {@code top-p}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The parameter of that name. */
    public static Optional<SamplingParameter> of(String word) {
        return Arrays.stream(values())
                .filter(parameter -> parameter.word().equals(word))
                .findFirst();
    }

    /**
     * Sets it to the number that {@code text} is.
     *
     * @param option what gives it, for the message
     * @throws UsageException if it is none, or not accepted
     */
    public UnaryOperator<SamplingParams> parse(String option, String text) {
        double number =
                this == TOP_K ? Numbers.integer(option, text, 0, Integer.MAX_VALUE) : Numbers.decimal(option, text);
        try {
            var _ = with.apply(SamplingParams.greedy(), number);
        } catch (InvalidSamplingParamException e) {
            throw UsageException.of(option, text, e.accepted());
        }
        return params -> with.apply(params, number);
    }

    /** Its value, as it is typed. */
    public String text(SamplingParams params) {
        return Numbers.text(value.applyAsDouble(params));
    }
}
