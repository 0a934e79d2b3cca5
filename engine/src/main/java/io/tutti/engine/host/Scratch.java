package io.tutti.engine.host;

/** A worker's own arrays, which grow to the largest size asked for. Their content is whatever was left there. */
final class Scratch {

    private float[] weights = {};
    private float[] totals = {};
    private float[] ups = {};
    private float[] row = {};
    private float[] keys = {};
    private float[] values = {};

    /** For a tile's columns as f32. */
    float[] weights(int n) {
        weights = room(weights, n);
        return weights;
    }

    /** For a tile's sums. */
    float[] totals(int n) {
        totals = room(totals, n);
        return totals;
    }

    /** For the sums of another tile. */
    float[] ups(int n) {
        ups = room(ups, n);
        return ups;
    }

    /** For a row of activations. */
    float[] row(int n) {
        row = room(row, n);
        return row;
    }

    /** For a segment of keys. */
    float[] keys(int n) {
        keys = room(keys, n);
        return keys;
    }

    /** For a segment of values. */
    float[] values(int n) {
        values = room(values, n);
        return values;
    }

    private static float[] room(float[] array, int n) {
        return array.length >= n ? array : new float[n];
    }
}
