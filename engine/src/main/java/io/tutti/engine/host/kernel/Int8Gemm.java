package io.tutti.engine.host.kernel;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.LSHL;

import io.tutti.engine.layout.Tile;
import io.tutti.engine.numerics.Numerics;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * One tile of int4 weights times several rows of int8 activations, for one segment of columns. The nibbles are unpacked once
 * for all rows; a run's integer dots of a block of rows then stay in registers, in 16-bit lanes as in {@link Int8Gemv}.
 */
public final class Int8Gemm {

    /** Ints that a segment's nibbles take when they are unpacked. */
    public static final int UNPACKED = Numerics.SEGMENT / 2 * Tile.ROWS;

    /** Numbers of a block's sums. */
    public static final int SUMS = Int8Rows.BLOCK * Tile.ROWS;

    private static final VectorSpecies<Float> F = Lanes.FLOATS;
    private static final VectorSpecies<Integer> I = Lanes.INTS;
    private static final VectorSpecies<Short> S = Lanes.SHORTS;
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
     * @param nibbles receives {@code [words][4][32]} ints, column i of a word in the low half and column i + 4 in the high one
     * @param scales receives {@code [runs][32]}
     */
    public static void unpack(
            MemorySegment w,
            long at,
            MemorySegment s,
            long sAt,
            ScaleRuns runs,
            int segment,
            int[] nibbles,
            float[] scales) {
        int begin = runs.firstOf(segment);
        int end = runs.firstOf(segment + 1);
        int word = runs.firstWord(begin);
        int words = (runs.start(end) + Tile.NIBBLES - 1) / Tile.NIBBLES - word;
        for (int i = 0; i < words; i++) {
            for (int row = 0; row < Tile.ROWS; row += LANES) {
                ShortVector v = IntVector.fromMemorySegment(
                                I, w, at + (word + i) * (long) Tile.INT4_COLUMNS + row * (long) Integer.BYTES, Tile.LE)
                        .reinterpretAsShorts();
                int to = i * Int8Rows.PAIRS * Tile.ROWS + row;
                v.lanewise(LSHL, 12).lanewise(ASHR, 12).reinterpretAsInts().intoArray(nibbles, to);
                v.lanewise(LSHL, 8).lanewise(ASHR, 12).reinterpretAsInts().intoArray(nibbles, to + Tile.ROWS);
                v.lanewise(LSHL, 4).lanewise(ASHR, 12).reinterpretAsInts().intoArray(nibbles, to + 2 * Tile.ROWS);
                v.lanewise(ASHR, 12).reinterpretAsInts().intoArray(nibbles, to + 3 * Tile.ROWS);
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
     * @param nibbles unpacked, with {@code wScales}
     * @param pairs the rows, with {@code scales}, see {@link Int8Rows#pack}
     * @param sums scratch memory of {@value #SUMS} numbers
     */
    public static void accumulate(
            int[] nibbles,
            float[] wScales,
            ScaleRuns runs,
            int segment,
            int[] pairs,
            float[] scales,
            int tokens,
            float[] sums,
            float[] y,
            int yAt) {
        for (int block = 0; block < Int8Rows.blocks(tokens); block++) {
            int first = Int8Rows.first(block);
            int size = Int8Rows.size(block, tokens);
            int n = size * Tile.ROWS;
            int x = Int8Rows.pairsAt(runs, segment, first, tokens);
            int q = Int8Rows.scalesAt(runs, segment, first, tokens);
            Arrays.fill(sums, 0, n, 0f);
            if (size == Int8Rows.BLOCK) {
                eight(nibbles, wScales, runs, segment, pairs, x, scales, q, sums);
            } else {
                four(nibbles, wScales, runs, segment, pairs, x, scales, q, sums);
            }
            Elementwise.add(y, yAt + first * Tile.ROWS, sums, 0, n);
        }
    }

    private static void four(
            int[] w,
            float[] wScales,
            ScaleRuns runs,
            int segment,
            int[] x,
            int xAt,
            float[] scales,
            int sAt,
            float[] y) {
        int begin = runs.firstOf(segment);
        int word = runs.firstWord(begin);
        int entry = runs.firstEntry(begin);
        for (int row = 0; row < Tile.ROWS; row += 2 * LANES) {
            for (int run = begin; run < runs.firstOf(segment + 1); run++) {
                ShortVector a0 = ShortVector.zero(S);
                ShortVector b0 = a0;
                ShortVector a1 = a0;
                ShortVector b1 = a0;
                ShortVector a2 = a0;
                ShortVector b2 = a0;
                ShortVector a3 = a0;
                ShortVector b3 = a0;
                int n = (runs.firstEntry(run + 1) - runs.firstEntry(run)) * Int8Rows.PAIRS;
                int from = (runs.firstWord(run) - word) * Int8Rows.PAIRS * Tile.ROWS + row;
                int xFrom = xAt + (runs.firstEntry(run) - entry) * Int8Rows.PAIRS * 4;
                for (int i = 0; i < n; i++) {
                    ShortVector u =
                            IntVector.fromArray(I, w, from + i * Tile.ROWS).reinterpretAsShorts();
                    ShortVector v = IntVector.fromArray(I, w, from + i * Tile.ROWS + LANES)
                            .reinterpretAsShorts();
                    int p = xFrom + i * 4;
                    ShortVector z = IntVector.broadcast(I, x[p]).reinterpretAsShorts();
                    a0 = a0.add(u.mul(z));
                    b0 = b0.add(v.mul(z));
                    z = IntVector.broadcast(I, x[p + 1]).reinterpretAsShorts();
                    a1 = a1.add(u.mul(z));
                    b1 = b1.add(v.mul(z));
                    z = IntVector.broadcast(I, x[p + 2]).reinterpretAsShorts();
                    a2 = a2.add(u.mul(z));
                    b2 = b2.add(v.mul(z));
                    z = IntVector.broadcast(I, x[p + 3]).reinterpretAsShorts();
                    a3 = a3.add(u.mul(z));
                    b3 = b3.add(v.mul(z));
                }
                FloatVector f = FloatVector.fromArray(F, wScales, (run - begin) * Tile.ROWS + row);
                FloatVector g = FloatVector.fromArray(F, wScales, (run - begin) * Tile.ROWS + row + LANES);
                int q = sAt + (run - begin) * 4;
                int to = row;
                IntVector d = a0.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(f.mul(scales[q]), FloatVector.fromArray(F, y, to))
                        .intoArray(y, to);
                d = b0.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(g.mul(scales[q]), FloatVector.fromArray(F, y, to + LANES))
                        .intoArray(y, to + LANES);
                to += Tile.ROWS;
                d = a1.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(f.mul(scales[q + 1]), FloatVector.fromArray(F, y, to))
                        .intoArray(y, to);
                d = b1.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(g.mul(scales[q + 1]), FloatVector.fromArray(F, y, to + LANES))
                        .intoArray(y, to + LANES);
                to += Tile.ROWS;
                d = a2.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(f.mul(scales[q + 2]), FloatVector.fromArray(F, y, to))
                        .intoArray(y, to);
                d = b2.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(g.mul(scales[q + 2]), FloatVector.fromArray(F, y, to + LANES))
                        .intoArray(y, to + LANES);
                to += Tile.ROWS;
                d = a3.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(f.mul(scales[q + 3]), FloatVector.fromArray(F, y, to))
                        .intoArray(y, to);
                d = b3.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(g.mul(scales[q + 3]), FloatVector.fromArray(F, y, to + LANES))
                        .intoArray(y, to + LANES);
            }
        }
    }

    private static void eight(
            int[] w,
            float[] wScales,
            ScaleRuns runs,
            int segment,
            int[] x,
            int xAt,
            float[] scales,
            int sAt,
            float[] y) {
        int begin = runs.firstOf(segment);
        int word = runs.firstWord(begin);
        int entry = runs.firstEntry(begin);
        for (int row = 0; row < Tile.ROWS; row += 2 * LANES) {
            for (int run = begin; run < runs.firstOf(segment + 1); run++) {
                ShortVector a0 = ShortVector.zero(S);
                ShortVector b0 = a0;
                ShortVector a1 = a0;
                ShortVector b1 = a0;
                ShortVector a2 = a0;
                ShortVector b2 = a0;
                ShortVector a3 = a0;
                ShortVector b3 = a0;
                ShortVector a4 = a0;
                ShortVector b4 = a0;
                ShortVector a5 = a0;
                ShortVector b5 = a0;
                ShortVector a6 = a0;
                ShortVector b6 = a0;
                ShortVector a7 = a0;
                ShortVector b7 = a0;
                int n = (runs.firstEntry(run + 1) - runs.firstEntry(run)) * Int8Rows.PAIRS;
                int from = (runs.firstWord(run) - word) * Int8Rows.PAIRS * Tile.ROWS + row;
                int xFrom = xAt + (runs.firstEntry(run) - entry) * Int8Rows.PAIRS * 8;
                for (int i = 0; i < n; i++) {
                    ShortVector u =
                            IntVector.fromArray(I, w, from + i * Tile.ROWS).reinterpretAsShorts();
                    ShortVector v = IntVector.fromArray(I, w, from + i * Tile.ROWS + LANES)
                            .reinterpretAsShorts();
                    int p = xFrom + i * 8;
                    ShortVector z = IntVector.broadcast(I, x[p]).reinterpretAsShorts();
                    a0 = a0.add(u.mul(z));
                    b0 = b0.add(v.mul(z));
                    z = IntVector.broadcast(I, x[p + 1]).reinterpretAsShorts();
                    a1 = a1.add(u.mul(z));
                    b1 = b1.add(v.mul(z));
                    z = IntVector.broadcast(I, x[p + 2]).reinterpretAsShorts();
                    a2 = a2.add(u.mul(z));
                    b2 = b2.add(v.mul(z));
                    z = IntVector.broadcast(I, x[p + 3]).reinterpretAsShorts();
                    a3 = a3.add(u.mul(z));
                    b3 = b3.add(v.mul(z));
                    z = IntVector.broadcast(I, x[p + 4]).reinterpretAsShorts();
                    a4 = a4.add(u.mul(z));
                    b4 = b4.add(v.mul(z));
                    z = IntVector.broadcast(I, x[p + 5]).reinterpretAsShorts();
                    a5 = a5.add(u.mul(z));
                    b5 = b5.add(v.mul(z));
                    z = IntVector.broadcast(I, x[p + 6]).reinterpretAsShorts();
                    a6 = a6.add(u.mul(z));
                    b6 = b6.add(v.mul(z));
                    z = IntVector.broadcast(I, x[p + 7]).reinterpretAsShorts();
                    a7 = a7.add(u.mul(z));
                    b7 = b7.add(v.mul(z));
                }
                FloatVector f = FloatVector.fromArray(F, wScales, (run - begin) * Tile.ROWS + row);
                FloatVector g = FloatVector.fromArray(F, wScales, (run - begin) * Tile.ROWS + row + LANES);
                int q = sAt + (run - begin) * 8;
                int to = row;
                IntVector d = a0.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(f.mul(scales[q]), FloatVector.fromArray(F, y, to))
                        .intoArray(y, to);
                d = b0.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(g.mul(scales[q]), FloatVector.fromArray(F, y, to + LANES))
                        .intoArray(y, to + LANES);
                to += Tile.ROWS;
                d = a1.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(f.mul(scales[q + 1]), FloatVector.fromArray(F, y, to))
                        .intoArray(y, to);
                d = b1.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(g.mul(scales[q + 1]), FloatVector.fromArray(F, y, to + LANES))
                        .intoArray(y, to + LANES);
                to += Tile.ROWS;
                d = a2.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(f.mul(scales[q + 2]), FloatVector.fromArray(F, y, to))
                        .intoArray(y, to);
                d = b2.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(g.mul(scales[q + 2]), FloatVector.fromArray(F, y, to + LANES))
                        .intoArray(y, to + LANES);
                to += Tile.ROWS;
                d = a3.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(f.mul(scales[q + 3]), FloatVector.fromArray(F, y, to))
                        .intoArray(y, to);
                d = b3.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(g.mul(scales[q + 3]), FloatVector.fromArray(F, y, to + LANES))
                        .intoArray(y, to + LANES);
                to += Tile.ROWS;
                d = a4.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(f.mul(scales[q + 4]), FloatVector.fromArray(F, y, to))
                        .intoArray(y, to);
                d = b4.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(g.mul(scales[q + 4]), FloatVector.fromArray(F, y, to + LANES))
                        .intoArray(y, to + LANES);
                to += Tile.ROWS;
                d = a5.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(f.mul(scales[q + 5]), FloatVector.fromArray(F, y, to))
                        .intoArray(y, to);
                d = b5.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(g.mul(scales[q + 5]), FloatVector.fromArray(F, y, to + LANES))
                        .intoArray(y, to + LANES);
                to += Tile.ROWS;
                d = a6.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(f.mul(scales[q + 6]), FloatVector.fromArray(F, y, to))
                        .intoArray(y, to);
                d = b6.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(g.mul(scales[q + 6]), FloatVector.fromArray(F, y, to + LANES))
                        .intoArray(y, to + LANES);
                to += Tile.ROWS;
                d = a7.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(f.mul(scales[q + 7]), FloatVector.fromArray(F, y, to))
                        .intoArray(y, to);
                d = b7.reinterpretAsInts();
                ((FloatVector) d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(g.mul(scales[q + 7]), FloatVector.fromArray(F, y, to + LANES))
                        .intoArray(y, to + LANES);
            }
        }
    }
}
