package io.tutti.engine.runner;

/**
 * Logits, a row for each token that they were asked for.
 *
 * @param vocab V
 * @param data {@code [rows, V]}
 */
public record Logits(int vocab, float[] data) {

    public int rows() {
        return data.length / vocab;
    }

    /** A copy of row {@code i}, {@code [V]}. */
    public float[] row(int i) {
        float[] row = new float[vocab];
        System.arraycopy(data, Math.multiplyExact(i, vocab), row, 0, vocab);
        return row;
    }
}
