package io.tutti.cli.option;

import io.tutti.cli.console.UsageException;
import io.tutti.runtime.generate.SamplingParameter;
import io.tutti.sample.InvalidSamplingParamException;
import io.tutti.sample.SamplingParams;

/** Sampling parameters as they are typed. */
public final class SamplingText {

    private SamplingText() {}

    /**
     * The value of {@code parameter} that {@code text} is.
     *
     * @param option what gives it, for the message
     * @throws UsageException if it is no number, or not accepted
     */
    public static double parse(SamplingParameter parameter, String option, String text) {
        double number = parameter == SamplingParameter.TOP_K
                ? Numbers.integer(option, text, 0, Integer.MAX_VALUE)
                : Numbers.decimal(option, text);
        try {
            var _ = parameter.set(SamplingParams.greedy(), number);
        } catch (InvalidSamplingParamException e) {
            throw UsageException.of(option, text, e.accepted());
        }
        return number;
    }

    /** The value of {@code parameter} in {@code params}. */
    public static String text(SamplingParameter parameter, SamplingParams params) {
        return Numbers.text(parameter.get(params));
    }
}
