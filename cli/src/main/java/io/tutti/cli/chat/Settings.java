package io.tutti.cli.chat;

import io.tutti.engine.generate.GenerationRequest;
import io.tutti.sample.SamplingParams;
import java.util.List;
import java.util.OptionalInt;

/**
 * How answers are made.
 *
 * @param maxTokens tokens of an answer at most; empty for as many as there is room for
 * @param seed of each answer's generator, so that a conversation gives the same answer whenever it is asked for
 * @param stopTokens ids that end an answer
 * @param stopTexts texts that end an answer
 * @param chunk prompt tokens that a step takes at most
 */
public record Settings(
        OptionalInt maxTokens,
        SamplingParams sampling,
        long seed,
        List<Integer> stopTokens,
        List<String> stopTexts,
        int chunk) {

    Settings withSeed(long value) {
        return new Settings(maxTokens, sampling, value, stopTokens, stopTexts, chunk);
    }

    /** What to generate after {@code prompt}, where {@code room} more tokens fit. */
    GenerationRequest request(int[] prompt, int room) {
        int most = Math.min(room, maxTokens.orElse(room));
        return new GenerationRequest(prompt, most, sampling, seed, stopTokens, stopTexts, false, chunk);
    }
}
