package io.tutti.engine.graph;

import java.util.Objects;

/**
 * A named activation of a step: an f32 matrix, {@code [rows, width]}, that ops write and read. A backend decides where it
 * lives.
 *
 * @param name unique in its graph
 * @param rows what a row stands for
 * @param width elements in a row
 */
public record Buffer(String name, Rows rows, int width) {

    public Buffer {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(rows, "rows");
        if (width < 1) {
            throw new IllegalArgumentException("buffer " + name + ": width is " + width + ", must be at least 1");
        }
    }

    /** A buffer with a row for each new token. */
    public static Buffer ofTokens(String name, int width) {
        return new Buffer(name, Rows.TOKENS, width);
    }

    /** A buffer with a row for each token whose logits were asked for. */
    public static Buffer ofOutputs(String name, int width) {
        return new Buffer(name, Rows.OUTPUTS, width);
    }
}
