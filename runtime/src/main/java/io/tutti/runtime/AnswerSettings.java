package io.tutti.runtime;

import io.tutti.runtime.generate.GenerationRequest;
import io.tutti.runtime.generate.Stops;
import io.tutti.sample.SamplingParams;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * How answers are made.
 *
 * @param maxTokens tokens of an answer at most; empty for as many as there is room for
 * @param sampling how tokens are chosen
 * @param seed of each answer's generator, so that a conversation gives the same answer whenever it is asked for
 * @param variables further variables of the chat template
 * @param whenFull what happens to a message for which there is no room
 * @param stops what ends an answer
 * @param chunk prompt tokens that a step takes at most
 */
public record AnswerSettings(
        OptionalInt maxTokens,
        SamplingParams sampling,
        long seed,
        Map<String, Object> variables,
        WhenFull whenFull,
        Stops stops,
        int chunk) {

    public AnswerSettings {
        variables = Collections.unmodifiableMap(new LinkedHashMap<>(variables)); // A value may be null.
    }

    public AnswerSettings withMaxTokens(int value) {
        return new AnswerSettings(OptionalInt.of(value), sampling, seed, variables, whenFull, stops, chunk);
    }

    public AnswerSettings withSampling(SamplingParams value) {
        return new AnswerSettings(maxTokens, value, seed, variables, whenFull, stops, chunk);
    }

    public AnswerSettings withSeed(long value) {
        return new AnswerSettings(maxTokens, sampling, value, variables, whenFull, stops, chunk);
    }

    public AnswerSettings withVariables(Map<String, Object> value) {
        return new AnswerSettings(maxTokens, sampling, seed, value, whenFull, stops, chunk);
    }

    public AnswerSettings withWhenFull(WhenFull value) {
        return new AnswerSettings(maxTokens, sampling, seed, variables, value, stops, chunk);
    }

    public AnswerSettings withStops(Stops value) {
        return new AnswerSettings(maxTokens, sampling, seed, variables, whenFull, value, chunk);
    }

    /** What to generate after {@code prompt}, where {@code room} more tokens fit. */
    GenerationRequest request(int[] prompt, int room) {
        int limit = Math.min(room, maxTokens.orElse(room));
        return new GenerationRequest(prompt, limit, sampling, seed, stops, false, chunk, true);
    }
}
