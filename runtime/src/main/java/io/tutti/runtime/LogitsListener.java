package io.tutti.runtime;

/** Receives logits, step by step. */
@FunctionalInterface
public interface LogitsListener {

    /**
     * The tokens from {@code start} to {@code end} have run.
     *
     * @param logits {@code [end - start, V]} if those of all tokens were asked for; otherwise those of the very last
     *     token, {@code [1, V]}, in the last step, and none before
     */
    void computed(int start, int end, float[] logits);
}
