package io.tutti.runtime.generate;

/**
 * A generated text.
 *
 * @param tokens the new tokens, without a stop token; those of a stop text are among them
 * @param logprobs of the tokens, or empty if they were not asked for
 * @param text the text, cut before a stop text; empty without a tokenizer
 * @param finish why it ended
 * @param reused tokens of the prompt that were in the cache already
 * @param prefillNanos time of the prompt, up to the first token
 * @param decodeNanos time of the tokens after the first
 */
public record GenerationResult(
        int[] tokens, double[] logprobs, String text, Finish finish, int reused, long prefillNanos, long decodeNanos) {

    private static final double NANOS = 1e9;

    /** Why a text ended. */
    public enum Finish {
        /** The tokens asked for are there, or the context is full. */
        LENGTH,
        /** A stop token or a stop text came. */
        STOP,
        /** Somebody asked for it. */
        CANCELLED
    }

    /** Tokens of the prompt that were computed, per second; 0 if no time was measured. */
    public double prefillRate(int promptTokens) {
        return prefillNanos > 0 ? (promptTokens - reused) * NANOS / prefillNanos : 0;
    }

    /** Tokens per second after the first, or 0 if there is only one. */
    public double decodeRate() {
        return tokens.length > 1 && decodeNanos > 0 ? (tokens.length - 1) * NANOS / decodeNanos : 0;
    }
}
