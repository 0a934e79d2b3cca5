package io.tutti.engine.host.kernel;

import io.tutti.engine.layout.Tile;
import io.tutti.engine.numerics.Numerics;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * One tile times several tokens, for one segment of columns. Prefill and batches spend their time here, in multiply-adds.
 *
 * <p>A block of the product stays in registers, two vectors of rows by some tokens: as many as hide the latency of a
 * multiply-add and the loads beside it, without spilling. Activations are repacked so that a block's tokens lie side by
 * side: {@code [segments][blocks][columns of the segment][tokens of the block]}, which the loop reads from end to end.
 */
public final class Gemm {

    private static final VectorSpecies<Float> F = Lanes.FLOATS;
    private static final int LANES = F.length();

    /** Tokens of a small block. */
    static final int SMALL = 4;

    /** Tokens of a block: twice as many where there are 32 registers, as AVX-512 and NEON have and AVX2 has not. */
    private static final int BLOCK = F.vectorBitSize() == 256 ? SMALL : 2 * SMALL;

    private Gemm() {}

    /** Rows that so many tokens take when they are packed: whole blocks, the last of which may be a small one. */
    public static int padded(int tokens) {
        return (tokens + SMALL - 1) / SMALL * SMALL;
    }

    /** Blocks that so many tokens make. */
    public static int blocks(int tokens) {
        return (padded(tokens) + BLOCK - 1) / BLOCK;
    }

    /**
     * Packs one block.
     *
     * @param x activations, {@code [tokens, width]}
     * @param packed room for {@code padded(tokens) * width} numbers
     */
    public static void pack(float[] x, int tokens, int width, int block, float[] packed) {
        int first = block * BLOCK;
        int size = Math.min(BLOCK, padded(tokens) - first);
        for (int s = 0; s < width; s += Numerics.SEGMENT) {
            int n = Math.min(Numerics.SEGMENT, width - s);
            int to = s * padded(tokens) + first * n;
            for (int t = 0; t < size; t++) {
                if (first + t < tokens) {
                    int from = (first + t) * width + s;
                    for (int k = 0; k < n; k++) {
                        packed[to + k * size + t] = x[from + k];
                    }
                } else {
                    // Nobody reads what comes of these, but old numbers might be slow ones.
                    for (int k = 0; k < n; k++) {
                        packed[to + k * size + t] = 0;
                    }
                }
            }
        }
    }

    /**
     * {@code y[t, r] += sum over k of w[k, r] * x[t, k]} for all tokens, each sum from zero in ascending order.
     *
     * @param w the tile's columns of one segment, {@code [n, 32]}
     * @param x all activations, packed
     * @param k0 the segment's first column
     * @param y totals, {@code [padded(tokens), 32]} from {@code yAt} on
     */
    public static void accumulate(float[] w, int n, float[] x, int k0, int tokens, float[] y, int yAt) {
        int padded = padded(tokens);
        int t = 0;
        for (; BLOCK > SMALL && t <= padded - 2 * SMALL; t += 2 * SMALL) {
            eight(w, n, x, k0 * padded + t * n, y, yAt + t * Tile.ROWS);
        }
        for (; t < padded; t += SMALL) {
            four(w, n, x, k0 * padded + t * n, y, yAt + t * Tile.ROWS);
        }
    }

    private static void four(float[] w, int n, float[] x, int xAt, float[] y, int yAt) {
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
                int p = xAt + k * 4;
                FloatVector t = FloatVector.broadcast(F, x[p]);
                a0 = u.fma(t, a0);
                b0 = v.fma(t, b0);
                t = FloatVector.broadcast(F, x[p + 1]);
                a1 = u.fma(t, a1);
                b1 = v.fma(t, b1);
                t = FloatVector.broadcast(F, x[p + 2]);
                a2 = u.fma(t, a2);
                b2 = v.fma(t, b2);
                t = FloatVector.broadcast(F, x[p + 3]);
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

    private static void eight(float[] w, int n, float[] x, int xAt, float[] y, int yAt) {
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
                int p = xAt + k * 8;
                FloatVector t = FloatVector.broadcast(F, x[p]);
                a0 = u.fma(t, a0);
                b0 = v.fma(t, b0);
                t = FloatVector.broadcast(F, x[p + 1]);
                a1 = u.fma(t, a1);
                b1 = v.fma(t, b1);
                t = FloatVector.broadcast(F, x[p + 2]);
                a2 = u.fma(t, a2);
                b2 = v.fma(t, b2);
                t = FloatVector.broadcast(F, x[p + 3]);
                a3 = u.fma(t, a3);
                b3 = v.fma(t, b3);
                t = FloatVector.broadcast(F, x[p + 4]);
                a4 = u.fma(t, a4);
                b4 = v.fma(t, b4);
                t = FloatVector.broadcast(F, x[p + 5]);
                a5 = u.fma(t, a5);
                b5 = v.fma(t, b5);
                t = FloatVector.broadcast(F, x[p + 6]);
                a6 = u.fma(t, a6);
                b6 = v.fma(t, b6);
                t = FloatVector.broadcast(F, x[p + 7]);
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
