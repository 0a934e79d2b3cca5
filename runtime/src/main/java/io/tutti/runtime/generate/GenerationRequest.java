package io.tutti.runtime.generate;

import io.tutti.engine.runner.EngineException;
import io.tutti.runtime.Model;
import io.tutti.sample.SamplingParams;

/**
 * What to generate, all of it decided. {@link Model#request} builds one with the model's defaults.
 *
 * @param prompt token ids, at least one
 * @param maxTokens new tokens at most, at least 1
 * @param sampling how to choose them
 * @param seed of the request's generator, all 64 bits
 * @param stops what ends the text
 * @param logprobs whether to compute them
 * @param chunk prompt tokens that a step takes at most, at least 1
 * @param ownText whether a new text begins, such as a chat's answer; otherwise the text continues the prompt's, and begins
 *     with the space between the two if there is one
 */
public record GenerationRequest(
        int[] prompt,
        int maxTokens,
        SamplingParams sampling,
        long seed,
        Stops stops,
        boolean logprobs,
        int chunk,
        boolean ownText) {

    public GenerationRequest {
        if (prompt.length == 0) {
            throw new EngineException("the prompt has no tokens; at least one is needed");
        }
        if (maxTokens < 1) {
            throw new EngineException("max tokens is " + maxTokens + ", must be at least 1");
        }
        if (chunk < 1) {
            throw new EngineException("chunk is " + chunk + ", must be at least 1");
        }
    }

    /** A greedy request for a text that continues the prompt's, without stops. */
    public static GenerationRequest greedy(int[] prompt, int maxTokens) {
        return new GenerationRequest(
                prompt, maxTokens, SamplingParams.greedy(), 0, Stops.NONE, false, Integer.MAX_VALUE, false);
    }

    /** Positions of a context of {@code context} that this may fill: the last token chosen is never run. */
    public int positions(int context) {
        long asked = (long) prompt.length + maxTokens - 1;
        return (int) Math.max(prompt.length, Math.min(asked, context - 1L));
    }

    public GenerationRequest withMaxTokens(int value) {
        return new GenerationRequest(prompt, value, sampling, seed, stops, logprobs, chunk, ownText);
    }
}
