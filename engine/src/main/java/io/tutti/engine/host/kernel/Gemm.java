package io.tutti.engine.host.kernel;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * One tile times several tokens, for one segment of columns. Prefill and batches spend their time here, in multiply-adds.
 * A block of the product stays in registers, two vectors of rows by some tokens: as many as hide the latency of a
 * multiply-add, and the loads behind them, without spilling.
 */
public final class Gemm {

    private static final VectorSpecies<Float> F = Lanes.FLOATS;
    private static final int LANES = F.length();

    /** Whether the processor has 32 vector registers, as AVX-512 and NEON do and AVX2 does not. */
    private static final boolean WIDE_BLOCK = F.vectorBitSize() != 256;

    private Gemm() {}

    /** Rows that the totals of so many tokens take: whole blocks. */
    public static int rows(int tokens) {
        return (tokens + 3) & ~3;
    }

    /**
     * {@code y[t, r] += sum over k of w[k, r] * x[t, k]} for all tokens, each sum from zero in ascending order.
     *
     * @param w the tile's columns, {@code [n, 32]}
     * @param x activations; token t's begin at {@code xAt + t * xStride}
     * @param tokens rows of {@code x} and {@code y}
     * @param y totals, {@code [rows(tokens), 32]}
     */
    public static void accumulate(float[] w, int n, float[] x, int xAt, int xStride, int tokens, float[] y) {
        int t = 0;
        if (WIDE_BLOCK) {
            for (; t <= tokens - 8; t += 8) {
                eight(w, n, x, xAt + t * xStride, xStride, y, t * Tile.ROWS);
            }
        }
        for (; t < tokens; t += 4) {
            // Past the last token the last one is multiplied again, into rows that nobody reads.
            int x0 = xAt + t * xStride;
            int x1 = xAt + Math.min(t + 1, tokens - 1) * xStride;
            int x2 = xAt + Math.min(t + 2, tokens - 1) * xStride;
            int x3 = xAt + Math.min(t + 3, tokens - 1) * xStride;
            four(w, n, x, x0, x1, x2, x3, y, t * Tile.ROWS);
        }
    }

    private static void four(float[] w, int n, float[] x, int x0, int x1, int x2, int x3, float[] y, int yAt) {
        for (int row = 0; row < Tile.ROWS; row += 2 * LANES) {
            FloatVector a0 = FloatVector.zero(F);
            FloatVector b0 = a0;
            FloatVector a1 = a0;
            FloatVector b1 = a0;
            FloatVector a2 = a0;
            FloatVector b2 = a0;
            FloatVector a3 = a0;
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

    private static void eight(float[] w, int n, float[] x, int x0, int xStride, float[] y, int yAt) {
        int x1 = x0 + xStride;
        int x2 = x1 + xStride;
        int x3 = x2 + xStride;
        int x4 = x3 + xStride;
        int x5 = x4 + xStride;
        int x6 = x5 + xStride;
        int x7 = x6 + xStride;
        for (int row = 0; row < Tile.ROWS; row += 2 * LANES) {
            FloatVector a0 = FloatVector.zero(F);
            FloatVector b0 = a0;
            FloatVector a1 = a0;
            FloatVector b1 = a0;
            FloatVector a2 = a0;
            FloatVector b2 = a0;
            FloatVector a3 = a0;
            FloatVector b3 = a0;
            FloatVector a4 = a0;
            FloatVector b4 = a0;
            FloatVector a5 = a0;
            FloatVector b5 = a0;
            FloatVector a6 = a0;
            FloatVector b6 = a0;
            FloatVector a7 = a0;
            FloatVector b7 = a0;
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
                t = FloatVector.broadcast(F, x[x4 + k]);
                a4 = u.fma(t, a4);
                b4 = v.fma(t, b4);
                t = FloatVector.broadcast(F, x[x5 + k]);
                a5 = u.fma(t, a5);
                b5 = v.fma(t, b5);
                t = FloatVector.broadcast(F, x[x6 + k]);
                a6 = u.fma(t, a6);
                b6 = v.fma(t, b6);
                t = FloatVector.broadcast(F, x[x7 + k]);
                a7 = u.fma(t, a7);
                b7 = v.fma(t, b7);
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
            to += Tile.ROWS;
            FloatVector.fromArray(F, y, to).add(a4).intoArray(y, to);
            FloatVector.fromArray(F, y, to + LANES).add(b4).intoArray(y, to + LANES);
            to += Tile.ROWS;
            FloatVector.fromArray(F, y, to).add(a5).intoArray(y, to);
            FloatVector.fromArray(F, y, to + LANES).add(b5).intoArray(y, to + LANES);
            to += Tile.ROWS;
            FloatVector.fromArray(F, y, to).add(a6).intoArray(y, to);
            FloatVector.fromArray(F, y, to + LANES).add(b6).intoArray(y, to + LANES);
            to += Tile.ROWS;
            FloatVector.fromArray(F, y, to).add(a7).intoArray(y, to);
            FloatVector.fromArray(F, y, to + LANES).add(b7).intoArray(y, to + LANES);
        }
    }
}
