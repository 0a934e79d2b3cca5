package io.tutti.engine.generate;

import io.tutti.engine.runner.EngineException;
import io.tutti.sample.SamplingParams;
import java.util.List;

/**
 * What to generate.
 *
 * @param prompt token ids, at least one
 * @param maxTokens new tokens at most, at least 1
 * @param sampling how to choose them
 * @param seed of the request's generator, all 64 bits
 * @param stopTokens ids that end the text; they are not part of it
 * @param stopTexts texts that end the text where they begin; none is empty
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
        List<Integer> stopTokens,
        List<String> stopTexts,
        boolean logprobs,
        int chunk,
        boolean ownText) {

    /** A request for a text that continues the prompt's. */
    public GenerationRequest(
            int[] prompt,
            int maxTokens,
            SamplingParams sampling,
            long seed,
            List<Integer> stopTokens,
            List<String> stopTexts,
            boolean logprobs,
            int chunk) {
        this(prompt, maxTokens, sampling, seed, stopTokens, stopTexts, logprobs, chunk, false);
    }

    public GenerationRequest {
        stopTokens = List.copyOf(stopTokens);
        stopTexts = List.copyOf(stopTexts);
        if (prompt.length == 0) {
            throw new EngineException("the prompt has no tokens; at least one is needed");
        }
        if (maxTokens < 1) {
            throw new EngineException("max tokens is " + maxTokens + ", must be at least 1");
        }
        if (chunk < 1) {
            throw new EngineException("chunk is " + chunk + ", must be at least 1");
        }
        if (stopTexts.contains("")) {
            throw new EngineException("a stop text is empty; it would end every text");
        }
    }
}
