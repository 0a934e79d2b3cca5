package io.tutti.sample;

import java.util.ArrayList;
import java.util.List;

/**
 * How a request wants its tokens chosen. Every value is checked; each filter has a setting that turns it off.
 *
 * @param temperature what logits are divided by: 0 takes the likeliest token without a draw; else 1e-4 to 1e4
 * @param topK keep this many of the likeliest tokens; 0, or the vocabulary's size and more, keeps all
 * @param topP keep the likeliest tokens up to and including the one whose cumulative probability reaches this; in (0, 1], 1 keeps
 *     all
 * @param minP keep tokens at least this many times as probable as the likeliest; in [0, 1], 0 keeps all
 * @param repetitionPenalty what the positive logits of tokens of the prompt or output are divided by, and the others multiplied by;
 *     above 0, 1 is off
 * @param presencePenalty subtracted from the logit of each token of the output; 0 is off
 * @param frequencyPenalty subtracted from the logit of each token of the output once per occurrence; 0 is off
 */
public record SamplingParams(
        double temperature,
        int topK,
        double topP,
        double minP,
        double repetitionPenalty,
        double presencePenalty,
        double frequencyPenalty) {

    /** The smallest temperature that tokens are drawn with. */
    public static final double MIN_TEMPERATURE = 1e-4;

    private static final SamplingParams GREEDY = new SamplingParams(0, 0, 1, 0, 1, 0, 0);

    /** @throws InvalidSamplingParamException if a value is outside what its parameter accepts */
    public SamplingParams {
        require(
                temperature == 0 || (temperature >= MIN_TEMPERATURE && temperature <= 1e4),
                "temperature",
                temperature,
                "0 or a number from 1e-4 to 1e4");
        require(topK >= 0, "top-k", topK, "0 or a positive integer");
        require(topP > 0 && topP <= 1, "top-p", topP, "a number above 0 and at most 1");
        require(minP >= 0 && minP <= 1, "min-p", minP, "a number from 0 to 1");
        require(
                repetitionPenalty > 0 && repetitionPenalty <= Double.MAX_VALUE,
                "repetition-penalty",
                repetitionPenalty,
                "a finite number above 0");
        require(Double.isFinite(presencePenalty), "presence-penalty", presencePenalty, "a finite number");
        require(Double.isFinite(frequencyPenalty), "frequency-penalty", frequencyPenalty, "a finite number");
    }

    private static void require(boolean accepted, String parameter, Number value, String acceptedValues) {
        if (!accepted) {
            throw new InvalidSamplingParamException(parameter, value, acceptedValues);
        }
    }

    /** The likeliest token every time, no penalty: the starting point of the {@code with} methods. */
    public static SamplingParams greedy() {
        return GREEDY;
    }

    public SamplingParams withTemperature(double value) {
        return new SamplingParams(value, topK, topP, minP, repetitionPenalty, presencePenalty, frequencyPenalty);
    }

    public SamplingParams withTopK(int value) {
        return new SamplingParams(temperature, value, topP, minP, repetitionPenalty, presencePenalty, frequencyPenalty);
    }

    public SamplingParams withTopP(double value) {
        return new SamplingParams(temperature, topK, value, minP, repetitionPenalty, presencePenalty, frequencyPenalty);
    }

    public SamplingParams withMinP(double value) {
        return new SamplingParams(temperature, topK, topP, value, repetitionPenalty, presencePenalty, frequencyPenalty);
    }

    public SamplingParams withRepetitionPenalty(double value) {
        return new SamplingParams(temperature, topK, topP, minP, value, presencePenalty, frequencyPenalty);
    }

    public SamplingParams withPresencePenalty(double value) {
        return new SamplingParams(temperature, topK, topP, minP, repetitionPenalty, value, frequencyPenalty);
    }

    public SamplingParams withFrequencyPenalty(double value) {
        return new SamplingParams(temperature, topK, topP, minP, repetitionPenalty, presencePenalty, value);
    }

    /** Whether the choice is the likeliest token, made without a draw. */
    public boolean isGreedy() {
        return temperature == 0;
    }

    /** The penalties that are on, as messages name them: {@code presence-penalty 0.5}. */
    List<String> penalties() {
        List<String> on = new ArrayList<>();
        if (repetitionPenalty != 1) {
            on.add("repetition-penalty " + repetitionPenalty);
        }
        if (presencePenalty != 0) {
            on.add("presence-penalty " + presencePenalty);
        }
        if (frequencyPenalty != 0) {
            on.add("frequency-penalty " + frequencyPenalty);
        }
        return on;
    }

    /** Whether the choice depends on which tokens came before. */
    public boolean hasPenalties() {
        return repetitionPenalty != 1 || presencePenalty != 0 || frequencyPenalty != 0;
    }
}
