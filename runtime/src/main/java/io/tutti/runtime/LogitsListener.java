package io.tutti.runtime;

/** Receives logits, step by step. */
@FunctionalInterface
public interface LogitsListener {

    /**
     * The tokens from {@code start} to {@code end} have run.
     *
     * @param logits {@code [end - start, V]} if those of all tokens were asked for; otherwise none until the last step,
     *     and then those of the last token, {@code [1, V]}. The next step overwrites them
     */
    void computed(int start, int end, float[] logits);
}
