package io.tutti.engine.host;

import io.tutti.engine.host.kernel.Runs;

/** A worker's own arrays, which grow to the largest size asked for. Their content is whatever was left there. */
final class Scratch {

    private final Runs runs = new Runs();
    private float[] weights = {};
    private float[] totals = {};
    private float[] sums = {};
    private int[] nibbles = {};
    private int[] integers = {};
    private float[] row = {};
    private float[] keys = {};
    private float[] values = {};
    private short[] halves = {};

    /** For sums that go side by side. */
    Runs runs() {
        return runs;
    }

    /** For a tile's columns as f32. */
    float[] weights(int n) {
        weights = room(weights, n);
        return weights;
    }

    /** For the sums of a tile or two. */
    float[] totals(int n) {
        totals = room(totals, n);
        return totals;
    }

    /** For the sums of a segment. */
    float[] sums(int n) {
        sums = room(sums, n);
        return sums;
    }

    /** For a tile's nibbles, unpacked, or what they are multiplied with, not yet packed. */
    int[] nibbles(int n) {
        nibbles = room(nibbles, n);
        return nibbles;
    }

    /** For a row of quantized activations, or a segment of one. */
    int[] integers(int n) {
        integers = room(integers, n);
        return integers;
    }

    /** For rows of activations. */
    float[] row(int n) {
        row = room(row, n);
        return row;
    }

    /** For a chunk of keys. */
    float[] keys(int n) {
        keys = room(keys, n);
        return keys;
    }

    /** For a chunk of values. */
    float[] values(int n) {
        values = room(values, n);
        return values;
    }

    /** For numbers on their way to an f16 cache or out of it. */
    short[] halves(int n) {
        halves = room(halves, n);
        return halves;
    }

    /** The array, or a larger one in its place. */
    static float[] room(float[] array, int n) {
        return array.length >= n ? array : new float[n];
    }

    /** The array, or a larger one in its place. */
    static int[] room(int[] array, int n) {
        return array.length >= n ? array : new int[n];
    }

    private static short[] room(short[] array, int n) {
        return array.length >= n ? array : new short[n];
    }
}
