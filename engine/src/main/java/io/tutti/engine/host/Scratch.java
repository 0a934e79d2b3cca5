package io.tutti.engine.host;

/** A worker's own arrays, which grow to the largest size asked for. Their content is whatever was left there. */
final class Scratch {

    private float[] weights = {};
    private float[] totals = {};
    private float[] row = {};
    private float[] keys = {};
    private float[] values = {};

    /** For a tile's columns as f32. */
    float[] weights(int n) {
        return weights = room(weights, n);
    }

    /** For a tile's sums. */
    float[] totals(int n) {
        return totals = room(totals, n);
    }

    /** For a row of activations. */
    float[] row(int n) {
        return row = room(row, n);
    }

    /** For a segment of keys. */
    float[] keys(int n) {
        return keys = room(keys, n);
    }

    /** For a segment of values. */
    float[] values(int n) {
        return values = room(values, n);
    }

    private static float[] room(float[] array, int n) {
        return array.length >= n ? array : new float[n];
    }
}
