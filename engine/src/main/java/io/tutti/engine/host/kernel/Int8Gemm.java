package io.tutti.engine.host.kernel;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.LSHL;

import io.tutti.engine.reference.Int8Activations;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * One tile of int4 weights times several rows of int8 activations, for one segment of columns. The nibbles are unpacked once
 * for all rows, and blocks of rows stay in registers, as in {@link Gemm}.
 *
 * <p>The integers are kept as floats: no sum within a run passes 2<sup>24</sup>, so that multiply-adds are exact, and each
 * takes one instruction where a multiplication and an addition of 16-bit integers would be two for twice as many.
 */
public final class Int8Gemm {

    /** Numbers of a block's sums. */
    public static final int SUMS = Gemm.BLOCK * Tile.ROWS;

    private static final VectorSpecies<Float> F = Lanes.FLOATS;
    private static final VectorSpecies<Integer> I = Lanes.INTS;
    private static final int LANES = F.length();

    private Int8Gemm() {}

    /** Numbers that a segment's scales take at most when they are unpacked. */
    public static int scales(ScaleRuns runs) {
        int most = 0;
        for (int s = 0; s < runs.segments(); s++) {
            most = Math.max(most, runs.firstOf(s + 1) - runs.firstOf(s));
        }
        return most * Tile.ROWS;
    }

    /**
     * Unpacks a segment of a tile.
     *
     * @param w the tile's nibbles, from byte {@code at} on
     * @param s the tile's scales, from byte {@code sAt} on
     * @param integers receives {@code [columns][32]}
     * @param scales receives {@code [runs][32]}
     */
    public static void unpack(
            MemorySegment w,
            long at,
            MemorySegment s,
            long sAt,
            ScaleRuns runs,
            int segment,
            float[] integers,
            float[] scales) {
        int begin = runs.firstOf(segment);
        int end = runs.firstOf(segment + 1);
        int first = runs.start(begin);
        for (int k = first; k < runs.start(end); k++) {
            int shift = 28 - 4 * (k % Tile.NIBBLES);
            for (int row = 0; row < Tile.ROWS; row += LANES) {
                long p = at + (k / Tile.NIBBLES) * (long) Tile.INT4_COLUMNS + row * (long) Integer.BYTES;
                IntVector words = IntVector.fromMemorySegment(I, w, p, Tile.LE);
                ((FloatVector) words.lanewise(LSHL, shift).lanewise(ASHR, 28).convert(VectorOperators.I2F, 0))
                        .intoArray(integers, (k - first) * Tile.ROWS + row);
            }
        }
        for (int run = begin; run < end; run++) {
            for (int row = 0; row < Tile.HALF; row += LANES) {
                IntVector pair = IntVector.fromMemorySegment(
                        I, s, sAt + runs.group(run) * (long) Tile.HALF_COLUMN + row * (long) Integer.BYTES, Tile.LE);
                int to = (run - begin) * Tile.ROWS + row;
                pair.lanewise(LSHL, 16)
                        .lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .intoArray(scales, to);
                pair.lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .intoArray(scales, to + Tile.HALF);
            }
        }
    }

    /**
     * Adds a segment's product to {@code y}, {@code [padded(tokens), 32]} from {@code yAt} on.
     *
     * @param w the integers, unpacked, with {@code wScales}
     * @param x the rows' integers, packed by {@link Gemm#pack}
     * @param xScales of the rows, {@code [blocks of 32 columns][padded(tokens)]}
     * @param sums scratch memory of {@link #SUMS} numbers
     */
    public static void accumulate(
            float[] w,
            float[] wScales,
            ScaleRuns runs,
            int segment,
            float[] x,
            float[] xScales,
            int tokens,
            float[] sums,
            float[] y,
            int yAt) {
        int padded = Gemm.padded(tokens);
        int k = runs.start(runs.firstOf(segment));
        int n = runs.start(runs.firstOf(segment + 1)) - k;
        for (int t = 0; t < padded; t += Gemm.BLOCK) {
            int size = Math.min(Gemm.BLOCK, padded - t);
            int xAt = k * padded + t * n;
            Arrays.fill(sums, 0, size * Tile.ROWS, 0f);
            if (size == Gemm.SMALL) {
                four(w, wScales, runs, segment, x, xAt, xScales, t, padded, sums);
            } else {
                eight(w, wScales, runs, segment, x, xAt, xScales, t, padded, sums);
            }
            Elementwise.add(y, yAt + t * Tile.ROWS, sums, 0, size * Tile.ROWS);
        }
    }

    private static void four(
            float[] w,
            float[] wScales,
            ScaleRuns runs,
            int segment,
            float[] x,
            int xAt,
            float[] xScales,
            int xScalesAt,
            int stride,
            float[] y) {
        int begin = runs.firstOf(segment);
        int first = runs.start(begin);
        for (int row = 0; row < Tile.ROWS; row += 2 * LANES) {
            for (int run = begin; run < runs.firstOf(segment + 1); run++) {
                FloatVector a0 = FloatVector.zero(F);
                FloatVector b0 = a0;
                FloatVector a1 = a0;
                FloatVector b1 = a0;
                FloatVector a2 = a0;
                FloatVector b2 = a0;
                FloatVector a3 = a0;
                FloatVector b3 = a0;
                for (int k = runs.start(run) - first; k < runs.start(run + 1) - first; k++) {
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
                FloatVector u = FloatVector.fromArray(F, wScales, (run - begin) * Tile.ROWS + row);
                FloatVector v = FloatVector.fromArray(F, wScales, (run - begin) * Tile.ROWS + row + LANES);
                int q = xScalesAt + runs.start(run) / Int8Activations.BLOCK * stride;
                int to = row;
                FloatVector t = FloatVector.broadcast(F, xScales[q]);
                a0.fma(u.mul(t), FloatVector.fromArray(F, y, to)).intoArray(y, to);
                b0.fma(v.mul(t), FloatVector.fromArray(F, y, to + LANES)).intoArray(y, to + LANES);
                to += Tile.ROWS;
                t = FloatVector.broadcast(F, xScales[q + 1]);
                a1.fma(u.mul(t), FloatVector.fromArray(F, y, to)).intoArray(y, to);
                b1.fma(v.mul(t), FloatVector.fromArray(F, y, to + LANES)).intoArray(y, to + LANES);
                to += Tile.ROWS;
                t = FloatVector.broadcast(F, xScales[q + 2]);
                a2.fma(u.mul(t), FloatVector.fromArray(F, y, to)).intoArray(y, to);
                b2.fma(v.mul(t), FloatVector.fromArray(F, y, to + LANES)).intoArray(y, to + LANES);
                to += Tile.ROWS;
                t = FloatVector.broadcast(F, xScales[q + 3]);
                a3.fma(u.mul(t), FloatVector.fromArray(F, y, to)).intoArray(y, to);
                b3.fma(v.mul(t), FloatVector.fromArray(F, y, to + LANES)).intoArray(y, to + LANES);
            }
        }
    }

    private static void eight(
            float[] w,
            float[] wScales,
            ScaleRuns runs,
            int segment,
            float[] x,
            int xAt,
            float[] xScales,
            int xScalesAt,
            int stride,
            float[] y) {
        int begin = runs.firstOf(segment);
        int first = runs.start(begin);
        for (int row = 0; row < Tile.ROWS; row += 2 * LANES) {
            for (int run = begin; run < runs.firstOf(segment + 1); run++) {
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
                for (int k = runs.start(run) - first; k < runs.start(run + 1) - first; k++) {
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
                FloatVector u = FloatVector.fromArray(F, wScales, (run - begin) * Tile.ROWS + row);
                FloatVector v = FloatVector.fromArray(F, wScales, (run - begin) * Tile.ROWS + row + LANES);
                int q = xScalesAt + runs.start(run) / Int8Activations.BLOCK * stride;
                int to = row;
                FloatVector t = FloatVector.broadcast(F, xScales[q]);
                a0.fma(u.mul(t), FloatVector.fromArray(F, y, to)).intoArray(y, to);
                b0.fma(v.mul(t), FloatVector.fromArray(F, y, to + LANES)).intoArray(y, to + LANES);
                to += Tile.ROWS;
                t = FloatVector.broadcast(F, xScales[q + 1]);
                a1.fma(u.mul(t), FloatVector.fromArray(F, y, to)).intoArray(y, to);
                b1.fma(v.mul(t), FloatVector.fromArray(F, y, to + LANES)).intoArray(y, to + LANES);
                to += Tile.ROWS;
                t = FloatVector.broadcast(F, xScales[q + 2]);
                a2.fma(u.mul(t), FloatVector.fromArray(F, y, to)).intoArray(y, to);
                b2.fma(v.mul(t), FloatVector.fromArray(F, y, to + LANES)).intoArray(y, to + LANES);
                to += Tile.ROWS;
                t = FloatVector.broadcast(F, xScales[q + 3]);
                a3.fma(u.mul(t), FloatVector.fromArray(F, y, to)).intoArray(y, to);
                b3.fma(v.mul(t), FloatVector.fromArray(F, y, to + LANES)).intoArray(y, to + LANES);
                to += Tile.ROWS;
                t = FloatVector.broadcast(F, xScales[q + 4]);
                a4.fma(u.mul(t), FloatVector.fromArray(F, y, to)).intoArray(y, to);
                b4.fma(v.mul(t), FloatVector.fromArray(F, y, to + LANES)).intoArray(y, to + LANES);
                to += Tile.ROWS;
                t = FloatVector.broadcast(F, xScales[q + 5]);
                a5.fma(u.mul(t), FloatVector.fromArray(F, y, to)).intoArray(y, to);
                b5.fma(v.mul(t), FloatVector.fromArray(F, y, to + LANES)).intoArray(y, to + LANES);
                to += Tile.ROWS;
                t = FloatVector.broadcast(F, xScales[q + 6]);
                a6.fma(u.mul(t), FloatVector.fromArray(F, y, to)).intoArray(y, to);
                b6.fma(v.mul(t), FloatVector.fromArray(F, y, to + LANES)).intoArray(y, to + LANES);
                to += Tile.ROWS;
                t = FloatVector.broadcast(F, xScales[q + 7]);
                a7.fma(u.mul(t), FloatVector.fromArray(F, y, to)).intoArray(y, to);
                b7.fma(v.mul(t), FloatVector.fromArray(F, y, to + LANES)).intoArray(y, to + LANES);
            }
        }
    }
}
