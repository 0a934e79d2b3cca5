package io.tutti.engine.host.kernel;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * One tile times four tokens, for one segment of columns. Prefill and batches spend their time here, in multiply-adds: eight
 * accumulators are as many as hide the latency without spilling.
 */
public final class Gemm {

    /** Tokens that one call multiplies. */
    public static final int TOKENS = 4;

    private static final VectorSpecies<Float> F = Lanes.FLOATS;
    private static final int LANES = F.length();

    private Gemm() {}

    /**
     * {@code y[t, r] += sum over k of w[k, r] * x[t, k]} for four tokens t, each sum from zero in ascending order.
     *
     * @param w the tile's columns, {@code [n, 32]}
     * @param x activations; the four tokens' begin at {@code x0} to {@code x3}
     * @param y totals, {@code [4, 32]} from {@code yAt} on
     */
    public static void accumulate(float[] w, int n, float[] x, int x0, int x1, int x2, int x3, float[] y, int yAt) {
        for (int row = 0; row < Tile.ROWS; row += 2 * LANES) {
            FloatVector a0 = FloatVector.zero(F);
            FloatVector a1 = a0;
            FloatVector a2 = a0;
            FloatVector a3 = a0;
            FloatVector b0 = a0;
            FloatVector b1 = a0;
            FloatVector b2 = a0;
            FloatVector b3 = a0;
            for (int k = 0; k < n; k++) {
                FloatVector u = FloatVector.fromArray(F, w, k * Tile.ROWS + row);
                FloatVector v = FloatVector.fromArray(F, w, k * Tile.ROWS + row + LANES);
                FloatVector t = FloatVector.broadcast(F, x[x0 + k]);
                a0 = u.fma(t, a0);
                b0 = v.fma(t, b0);
                t = FloatVector.broadcast(F, x[x1 + k]);
                a1 = u.fma(t, a1);
                b1 = v.fma(t, b1);
                t = FloatVector.broadcast(F, x[x2 + k]);
                a2 = u.fma(t, a2);
                b2 = v.fma(t, b2);
                t = FloatVector.broadcast(F, x[x3 + k]);
                a3 = u.fma(t, a3);
                b3 = v.fma(t, b3);
            }
            int to = yAt + row;
            FloatVector.fromArray(F, y, to).add(a0).intoArray(y, to);
            FloatVector.fromArray(F, y, to + LANES).add(b0).intoArray(y, to + LANES);
            to += Tile.ROWS;
            FloatVector.fromArray(F, y, to).add(a1).intoArray(y, to);
            FloatVector.fromArray(F, y, to + LANES).add(b1).intoArray(y, to + LANES);
            to += Tile.ROWS;
            FloatVector.fromArray(F, y, to).add(a2).intoArray(y, to);
            FloatVector.fromArray(F, y, to + LANES).add(b2).intoArray(y, to + LANES);
            to += Tile.ROWS;
            FloatVector.fromArray(F, y, to).add(a3).intoArray(y, to);
            FloatVector.fromArray(F, y, to + LANES).add(b3).intoArray(y, to + LANES);
        }
    }
}
