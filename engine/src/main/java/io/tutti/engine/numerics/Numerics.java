package io.tutti.engine.numerics;

/**
 * The normative arithmetic in plain Java: what every backend's ops must equal, bit for bit. Golden's numerics
 * specification says the same in words; nothing here is quick.
 *
 * <p>All of it is IEEE 754 binary32, rounded to nearest even, and fused only where {@link Math#fma(float, float, float)}
 * is written. Every sum runs in ascending order inside segments of {@value #SEGMENT}, and the segments' sums are added in
 * ascending order.
 */
public final class Numerics {

    /** How many terms are summed in one run before the run's sum joins the total; also positions of one softmax segment. */
    public static final int SEGMENT = 256;

    private Numerics() {}

    /**
     * The sum of {@code w[i] * x[i]} for i below {@code n}.
     *
     * @param wAt where w begins in its array
     * @param xAt where x begins in its array
     */
    public static float dot(float[] w, int wAt, float[] x, int xAt, int n) {
        float total = 0;
        for (int s = 0; s < n; s += SEGMENT) {
            float sum = 0;
            for (int i = s; i < Math.min(n, s + SEGMENT); i++) {
                sum = Math.fma(w[wAt + i], x[xAt + i], sum);
            }
            total += sum;
        }
        return total;
    }

    /** {@code out[i] = in[i] / sqrt(mean of in^2 + eps) * scale[i]} over one row of {@code scale.length} elements. */
    public static void rmsNorm(float[] in, int at, float[] scale, float eps, float[] out, int outAt) {
        int n = scale.length;
        float r = rmsFactor(dot(in, at, in, at, n), n, eps);
        for (int i = 0; i < n; i++) {
            out[outAt + i] = (in[at + i] * r) * scale[i];
        }
    }

    /** What RMSNorm multiplies a row of {@code n} elements by, given the sum of their squares. */
    public static float rmsFactor(float sumOfSquares, int n, float eps) {
        return 1f / (float) Math.sqrt(sumOfSquares / (float) n + eps);
    }

    /** Rotates one head, {@code [2 * pairs]}, to {@code position}; the table must reach that far. */
    public static void rope(float[] x, int at, RopeTable table, int position) {
        int pairs = table.pairs();
        for (int i = 0; i < pairs; i++) {
            float c = table.cos()[position * pairs + i];
            float s = table.sin()[position * pairs + i];
            float lo = x[at + i];
            float hi = x[at + pairs + i];
            x[at + i] = Math.fma(lo, c, -(hi * s));
            x[at + pairs + i] = Math.fma(hi, c, lo * s);
        }
    }

    /** e to the x: within 0.89 ulp, below -87 zero, above 88 as at 88. */
    public static float exp(float x) {
        if (Float.isNaN(x)) {
            return x;
        }
        if (x < Exp.LOWEST) {
            return 0;
        }
        float y = Math.min(x, Exp.HIGHEST);
        float t = Math.fma(y, Exp.LOG2_E, Exp.ROUND);
        float n = t - Exp.ROUND;
        float r = Math.fma(n, Exp.MINUS_LN2_HIGH, y);
        r = Math.fma(n, Exp.MINUS_LN2_LOW, r);
        float p = Exp.C7;
        p = Math.fma(p, r, Exp.C6);
        p = Math.fma(p, r, Exp.C5);
        p = Math.fma(p, r, Exp.C4);
        p = Math.fma(p, r, Exp.C3);
        p = Math.fma(p, r, Exp.C2);
        float e = Math.fma(Math.fma(p, r, 1f), r, 1f);
        return e * Float.intBitsToFloat(((int) n + 127) << 23);
    }

    /** {@code (gate / (1 + exp(-gate))) * up}. */
    public static float swiGlu(float gate, float up) {
        return (gate / (1f + exp(-gate))) * up;
    }

    /** What a query is multiplied by before it meets the keys: {@code 1 / sqrt(headDim)}. */
    public static float attentionScale(int headDim) {
        return (float) (1 / Math.sqrt(headDim));
    }

    /**
     * One query head over positions {@code from} to {@code to}: softmax of the scores, then the weighted sum of the values.
     * Segments begin at the context's start, wherever {@code from} is; one that lies before it does not count.
     *
     * @param q the scaled query, {@code [headDim]}
     * @param keys {@code [to, headDim]}
     * @param values {@code [to, headDim]}
     * @param from the first position that the query sees
     * @param to behind the last one, its own
     * @param out receives {@code [headDim]} at {@code outAt}
     */
    public static void attend(float[] q, float[] keys, float[] values, int from, int to, float[] out, int outAt) {
        int headDim = q.length;
        int first = from / SEGMENT;
        int segments = (to + SEGMENT - 1) / SEGMENT - first;
        float[] max = new float[segments];
        float[] weight = new float[segments];
        float[][] sums = new float[segments][headDim];
        for (int s = 0; s < segments; s++) {
            int start = Math.max(from, (first + s) * SEGMENT);
            int end = Math.min(to, (first + s + 1) * SEGMENT);
            float[] z = new float[end - start];
            max[s] = Float.NEGATIVE_INFINITY;
            for (int j = start; j < end; j++) {
                z[j - start] = dot(q, 0, keys, j * headDim, headDim);
                max[s] = Math.max(max[s], z[j - start]);
            }
            for (int j = start; j < end; j++) {
                float p = exp(z[j - start] - max[s]);
                weight[s] += p;
                for (int d = 0; d < headDim; d++) {
                    sums[s][d] = Math.fma(p, values[j * headDim + d], sums[s][d]);
                }
            }
        }
        combine(max, weight, sums, out, outAt);
    }

    /** Joins the segments of one query head: each is brought to the common maximum and added in ascending order. */
    private static void combine(float[] max, float[] weight, float[][] sums, float[] out, int outAt) {
        float highest = Float.NEGATIVE_INFINITY;
        for (float m : max) {
            highest = Math.max(highest, m);
        }
        int headDim = sums[0].length;
        float total = 0;
        float[] joined = new float[headDim];
        for (int s = 0; s < max.length; s++) {
            float c = exp(max[s] - highest);
            total = Math.fma(c, weight[s], total);
            for (int d = 0; d < headDim; d++) {
                joined[d] = Math.fma(c, sums[s][d], joined[d]);
            }
        }
        for (int d = 0; d < headDim; d++) {
            out[outAt + d] = joined[d] / total;
        }
    }
}
