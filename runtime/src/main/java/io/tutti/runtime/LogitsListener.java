package io.tutti.runtime;

/** Receives logits, step by step. */
@FunctionalInterface
public interface LogitsListener {

    /**
     * The tokens from {@code start} to {@code end} have run.
     *
     * @param logits {@code [end - start, V]} if those of all tokens were asked for; otherwise {@code [1, V]}, of the last of them
     */
    void computed(int start, int end, float[] logits);
}
