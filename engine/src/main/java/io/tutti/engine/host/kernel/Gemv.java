package io.tutti.engine.host.kernel;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.XOR;

import io.tutti.engine.layout.Tile;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Tiles times one vector: the sums of four {@link Runs} of columns, side by side, each from zero in ascending order. Decoding
 * spends its time here, waiting for memory.
 *
 * <p>A run's sum is a chain of dependent multiply-adds, during which a processor asks for little memory; and what prefetches
 * works best on several streams. Four runs read at nine tenths of the memory's speed where one reads at two thirds.
 *
 * <p>In every method {@code n} is the runs' number of columns and {@code x} the vector. Each writes all four runs' sums.
 */
public final class Gemv {

    private static final VectorSpecies<Float> F = Lanes.FLOATS;
    private static final VectorSpecies<Integer> I = Lanes.INTS;
    private static final int LANES = F.length();

    private Gemv() {}

    /** f32 weights. */
    public static void f32(Runs r, float[] x, int n) {
        MemorySegment w0 = r.weights[0];
        MemorySegment w1 = r.weights[1];
        MemorySegment w2 = r.weights[2];
        MemorySegment w3 = r.weights[3];
        int x0 = r.xAt[0];
        int x1 = r.xAt[1];
        int x2 = r.xAt[2];
        int x3 = r.xAt[3];
        float[] y = r.sums;
        for (int row = 0; row < Tile.ROWS; row += 2 * LANES) {
            long p0 = r.at[0] + row * (long) Float.BYTES;
            long p1 = r.at[1] + row * (long) Float.BYTES;
            long p2 = r.at[2] + row * (long) Float.BYTES;
            long p3 = r.at[3] + row * (long) Float.BYTES;
            FloatVector a = FloatVector.zero(F);
            FloatVector b = a;
            FloatVector c = a;
            FloatVector d = a;
            FloatVector e = a;
            FloatVector f = a;
            FloatVector g = a;
            FloatVector h = a;
            for (int k = 0; k < n; k++) {
                long column = k * (long) Tile.F32_COLUMN;
                FloatVector t = FloatVector.broadcast(F, x[x0 + k]);
                a = FloatVector.fromMemorySegment(F, w0, p0 + column, Tile.LE).fma(t, a);
                b = FloatVector.fromMemorySegment(F, w0, p0 + column + 4L * LANES, Tile.LE)
                        .fma(t, b);
                t = FloatVector.broadcast(F, x[x1 + k]);
                c = FloatVector.fromMemorySegment(F, w1, p1 + column, Tile.LE).fma(t, c);
                d = FloatVector.fromMemorySegment(F, w1, p1 + column + 4L * LANES, Tile.LE)
                        .fma(t, d);
                t = FloatVector.broadcast(F, x[x2 + k]);
                e = FloatVector.fromMemorySegment(F, w2, p2 + column, Tile.LE).fma(t, e);
                f = FloatVector.fromMemorySegment(F, w2, p2 + column + 4L * LANES, Tile.LE)
                        .fma(t, f);
                t = FloatVector.broadcast(F, x[x3 + k]);
                g = FloatVector.fromMemorySegment(F, w3, p3 + column, Tile.LE).fma(t, g);
                h = FloatVector.fromMemorySegment(F, w3, p3 + column + 4L * LANES, Tile.LE)
                        .fma(t, h);
            }
            int to = row;
            a.intoArray(y, to);
            b.intoArray(y, to + LANES);
            to += Tile.ROWS;
            c.intoArray(y, to);
            d.intoArray(y, to + LANES);
            to += Tile.ROWS;
            e.intoArray(y, to);
            f.intoArray(y, to + LANES);
            to += Tile.ROWS;
            g.intoArray(y, to);
            h.intoArray(y, to + LANES);
        }
    }

    /** bf16 weights: an f32's upper half. */
    public static void bf16(Runs r, float[] x, int n) {
        MemorySegment w0 = r.weights[0];
        MemorySegment w1 = r.weights[1];
        MemorySegment w2 = r.weights[2];
        MemorySegment w3 = r.weights[3];
        int x0 = r.xAt[0];
        int x1 = r.xAt[1];
        int x2 = r.xAt[2];
        int x3 = r.xAt[3];
        float[] y = r.sums;
        for (int row = 0; row < Tile.HALF; row += LANES) {
            long p0 = r.at[0] + row * (long) Integer.BYTES;
            long p1 = r.at[1] + row * (long) Integer.BYTES;
            long p2 = r.at[2] + row * (long) Integer.BYTES;
            long p3 = r.at[3] + row * (long) Integer.BYTES;
            FloatVector a = FloatVector.zero(F);
            FloatVector b = a;
            FloatVector c = a;
            FloatVector d = a;
            FloatVector e = a;
            FloatVector f = a;
            FloatVector g = a;
            FloatVector h = a;
            for (int k = 0; k < n; k++) {
                long column = k * (long) Tile.HALF_COLUMN;
                FloatVector t = FloatVector.broadcast(F, x[x0 + k]);
                IntVector v = IntVector.fromMemorySegment(I, w0, p0 + column, Tile.LE);
                a = v.lanewise(LSHL, 16).reinterpretAsFloats().fma(t, a);
                b = v.and(Tile.HIGH_HALF).reinterpretAsFloats().fma(t, b);
                t = FloatVector.broadcast(F, x[x1 + k]);
                v = IntVector.fromMemorySegment(I, w1, p1 + column, Tile.LE);
                c = v.lanewise(LSHL, 16).reinterpretAsFloats().fma(t, c);
                d = v.and(Tile.HIGH_HALF).reinterpretAsFloats().fma(t, d);
                t = FloatVector.broadcast(F, x[x2 + k]);
                v = IntVector.fromMemorySegment(I, w2, p2 + column, Tile.LE);
                e = v.lanewise(LSHL, 16).reinterpretAsFloats().fma(t, e);
                f = v.and(Tile.HIGH_HALF).reinterpretAsFloats().fma(t, f);
                t = FloatVector.broadcast(F, x[x3 + k]);
                v = IntVector.fromMemorySegment(I, w3, p3 + column, Tile.LE);
                g = v.lanewise(LSHL, 16).reinterpretAsFloats().fma(t, g);
                h = v.and(Tile.HIGH_HALF).reinterpretAsFloats().fma(t, h);
            }
            int to = row;
            a.intoArray(y, to);
            b.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            c.intoArray(y, to);
            d.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            e.intoArray(y, to);
            f.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            g.intoArray(y, to);
            h.intoArray(y, to + Tile.HALF);
        }
    }

    /** f16 weights, all finite: the fields moved to an f32's places and its exponent set right, exact for subnormals too. */
    public static void f16(Runs r, float[] x, int n) {
        MemorySegment w0 = r.weights[0];
        MemorySegment w1 = r.weights[1];
        MemorySegment w2 = r.weights[2];
        MemorySegment w3 = r.weights[3];
        int x0 = r.xAt[0];
        int x1 = r.xAt[1];
        int x2 = r.xAt[2];
        int x3 = r.xAt[3];
        float[] y = r.sums;
        for (int row = 0; row < Tile.HALF; row += LANES) {
            long p0 = r.at[0] + row * (long) Integer.BYTES;
            long p1 = r.at[1] + row * (long) Integer.BYTES;
            long p2 = r.at[2] + row * (long) Integer.BYTES;
            long p3 = r.at[3] + row * (long) Integer.BYTES;
            FloatVector a = FloatVector.zero(F);
            FloatVector b = a;
            FloatVector c = a;
            FloatVector d = a;
            FloatVector e = a;
            FloatVector f = a;
            FloatVector g = a;
            FloatVector h = a;
            for (int k = 0; k < n; k++) {
                long column = k * (long) Tile.HALF_COLUMN;
                FloatVector t = FloatVector.broadcast(F, x[x0 + k]);
                IntVector v = IntVector.fromMemorySegment(I, w0, p0 + column, Tile.LE);
                a = v.lanewise(LSHL, 16)
                        .lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .fma(t, a);
                b = v.lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .fma(t, b);
                t = FloatVector.broadcast(F, x[x1 + k]);
                v = IntVector.fromMemorySegment(I, w1, p1 + column, Tile.LE);
                c = v.lanewise(LSHL, 16)
                        .lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .fma(t, c);
                d = v.lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .fma(t, d);
                t = FloatVector.broadcast(F, x[x2 + k]);
                v = IntVector.fromMemorySegment(I, w2, p2 + column, Tile.LE);
                e = v.lanewise(LSHL, 16)
                        .lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .fma(t, e);
                f = v.lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .fma(t, f);
                t = FloatVector.broadcast(F, x[x3 + k]);
                v = IntVector.fromMemorySegment(I, w3, p3 + column, Tile.LE);
                g = v.lanewise(LSHL, 16)
                        .lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .fma(t, g);
                h = v.lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .fma(t, h);
            }
            int to = row;
            a.intoArray(y, to);
            b.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            c.intoArray(y, to);
            d.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            e.intoArray(y, to);
            f.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            g.intoArray(y, to);
            h.intoArray(y, to + Tile.HALF);
        }
    }

    /**
     * int4 weights {@code q * scale}, a product that is exact in f32, whose groups are whole words of eight columns; one run
     * after the other, since arithmetic and not memory takes the time.
     *
     * <p>A nibble becomes a fraction of a float between 1 and 2, so that one multiply-add takes the bias off and the scale on:
     * {@code (1 + (q + 8) / 16) * 16 scale - 24 scale}, every term of which is exact.
     *
     * @param group columns that share a scale, a multiple of eight
     */
    public static void int4(Runs r, int group, float[] x, int n) {
        for (int run = 0; run < r.count; run++) {
            MemorySegment w = r.weights[run];
            MemorySegment s = r.scales[run];
            int k0 = r.xAt[run];
            for (int row = 0; row < Tile.HALF; row += LANES) {
                long wAt = r.at[run] + row * (long) Integer.BYTES;
                long sAt = r.scalesAt[run] + row * (long) Integer.BYTES;
                FloatVector a = FloatVector.zero(F);
                FloatVector b = a;
                for (int k = k0; k < k0 + n; ) {
                    int end = Math.min(k0 + n, (k / group + 1) * group);
                    IntVector pair =
                            IntVector.fromMemorySegment(I, s, sAt + (k / group) * (long) Tile.HALF_COLUMN, Tile.LE);
                    FloatVector low = pair.lanewise(LSHL, 16)
                            .lanewise(ASHR, 3)
                            .and(Tile.F16_FIELDS)
                            .reinterpretAsFloats()
                            .mul(16 * Tile.F16_REBIAS);
                    FloatVector high = pair.lanewise(ASHR, 3)
                            .and(Tile.F16_FIELDS)
                            .reinterpretAsFloats()
                            .mul(16 * Tile.F16_REBIAS);
                    FloatVector lowOffset = low.mul(-1.5f);
                    FloatVector highOffset = high.mul(-1.5f);
                    for (int q = k; q < end; q += Tile.NIBBLES) {
                        long p = wAt + (q / Tile.NIBBLES) * (long) Tile.INT4_COLUMNS;
                        IntVector u = IntVector.fromMemorySegment(I, w, p, Tile.LE);
                        IntVector v = IntVector.fromMemorySegment(I, w, p + Tile.HALF_COLUMN, Tile.LE);
                        FloatVector t = FloatVector.broadcast(F, x[q]);
                        a = u.lanewise(LSHL, 19)
                                .and(Tile.NIBBLE)
                                .lanewise(XOR, Tile.NIBBLE_BIAS)
                                .reinterpretAsFloats()
                                .fma(low, lowOffset)
                                .fma(t, a);
                        b = v.lanewise(LSHL, 19)
                                .and(Tile.NIBBLE)
                                .lanewise(XOR, Tile.NIBBLE_BIAS)
                                .reinterpretAsFloats()
                                .fma(high, highOffset)
                                .fma(t, b);
                        t = FloatVector.broadcast(F, x[q + 1]);
                        a = u.lanewise(LSHL, 15)
                                .and(Tile.NIBBLE)
                                .lanewise(XOR, Tile.NIBBLE_BIAS)
                                .reinterpretAsFloats()
                                .fma(low, lowOffset)
                                .fma(t, a);
                        b = v.lanewise(LSHL, 15)
                                .and(Tile.NIBBLE)
                                .lanewise(XOR, Tile.NIBBLE_BIAS)
                                .reinterpretAsFloats()
                                .fma(high, highOffset)
                                .fma(t, b);
                        t = FloatVector.broadcast(F, x[q + 2]);
                        a = u.lanewise(LSHL, 11)
                                .and(Tile.NIBBLE)
                                .lanewise(XOR, Tile.NIBBLE_BIAS)
                                .reinterpretAsFloats()
                                .fma(low, lowOffset)
                                .fma(t, a);
                        b = v.lanewise(LSHL, 11)
                                .and(Tile.NIBBLE)
                                .lanewise(XOR, Tile.NIBBLE_BIAS)
                                .reinterpretAsFloats()
                                .fma(high, highOffset)
                                .fma(t, b);
                        t = FloatVector.broadcast(F, x[q + 3]);
                        a = u.lanewise(LSHL, 7)
                                .and(Tile.NIBBLE)
                                .lanewise(XOR, Tile.NIBBLE_BIAS)
                                .reinterpretAsFloats()
                                .fma(low, lowOffset)
                                .fma(t, a);
                        b = v.lanewise(LSHL, 7)
                                .and(Tile.NIBBLE)
                                .lanewise(XOR, Tile.NIBBLE_BIAS)
                                .reinterpretAsFloats()
                                .fma(high, highOffset)
                                .fma(t, b);
                        t = FloatVector.broadcast(F, x[q + 4]);
                        a = u.lanewise(LSHL, 3)
                                .and(Tile.NIBBLE)
                                .lanewise(XOR, Tile.NIBBLE_BIAS)
                                .reinterpretAsFloats()
                                .fma(low, lowOffset)
                                .fma(t, a);
                        b = v.lanewise(LSHL, 3)
                                .and(Tile.NIBBLE)
                                .lanewise(XOR, Tile.NIBBLE_BIAS)
                                .reinterpretAsFloats()
                                .fma(high, highOffset)
                                .fma(t, b);
                        t = FloatVector.broadcast(F, x[q + 5]);
                        a = u.lanewise(LSHR, 1)
                                .and(Tile.NIBBLE)
                                .lanewise(XOR, Tile.NIBBLE_BIAS)
                                .reinterpretAsFloats()
                                .fma(low, lowOffset)
                                .fma(t, a);
                        b = v.lanewise(LSHR, 1)
                                .and(Tile.NIBBLE)
                                .lanewise(XOR, Tile.NIBBLE_BIAS)
                                .reinterpretAsFloats()
                                .fma(high, highOffset)
                                .fma(t, b);
                        t = FloatVector.broadcast(F, x[q + 6]);
                        a = u.lanewise(LSHR, 5)
                                .and(Tile.NIBBLE)
                                .lanewise(XOR, Tile.NIBBLE_BIAS)
                                .reinterpretAsFloats()
                                .fma(low, lowOffset)
                                .fma(t, a);
                        b = v.lanewise(LSHR, 5)
                                .and(Tile.NIBBLE)
                                .lanewise(XOR, Tile.NIBBLE_BIAS)
                                .reinterpretAsFloats()
                                .fma(high, highOffset)
                                .fma(t, b);
                        t = FloatVector.broadcast(F, x[q + 7]);
                        a = u.lanewise(LSHR, 9)
                                .and(Tile.NIBBLE)
                                .lanewise(XOR, Tile.NIBBLE_BIAS)
                                .reinterpretAsFloats()
                                .fma(low, lowOffset)
                                .fma(t, a);
                        b = v.lanewise(LSHR, 9)
                                .and(Tile.NIBBLE)
                                .lanewise(XOR, Tile.NIBBLE_BIAS)
                                .reinterpretAsFloats()
                                .fma(high, highOffset)
                                .fma(t, b);
                    }
                    k = end;
                }
                a.intoArray(r.sums, run * Tile.ROWS + row);
                b.intoArray(r.sums, run * Tile.ROWS + row + Tile.HALF);
            }
        }
    }

    /** int4 weights with groups of any even number of columns. */
    public static void int4Narrow(Runs r, int group, float[] x, int n) {
        for (int run = 0; run < r.count; run++) {
            MemorySegment w = r.weights[run];
            MemorySegment s = r.scales[run];
            int k0 = r.xAt[run];
            for (int row = 0; row < Tile.HALF; row += LANES) {
                long wAt = r.at[run] + row * (long) Integer.BYTES;
                long sAt = r.scalesAt[run] + row * (long) Integer.BYTES;
                FloatVector a = FloatVector.zero(F);
                FloatVector b = a;
                for (int k = k0; k < k0 + n; ) {
                    int end = Math.min(k0 + n, (k / group + 1) * group);
                    IntVector pair =
                            IntVector.fromMemorySegment(I, s, sAt + (k / group) * (long) Tile.HALF_COLUMN, Tile.LE);
                    FloatVector low = pair.lanewise(LSHL, 16)
                            .lanewise(ASHR, 3)
                            .and(Tile.F16_FIELDS)
                            .reinterpretAsFloats()
                            .mul(Tile.F16_REBIAS);
                    FloatVector high = pair.lanewise(ASHR, 3)
                            .and(Tile.F16_FIELDS)
                            .reinterpretAsFloats()
                            .mul(Tile.F16_REBIAS);
                    for (; k < end; k++) {
                        long p = wAt + (k / Tile.NIBBLES) * (long) Tile.INT4_COLUMNS;
                        int shift = 28 - 4 * (k % Tile.NIBBLES);
                        FloatVector t = FloatVector.broadcast(F, x[k]);
                        IntVector u = IntVector.fromMemorySegment(I, w, p, Tile.LE);
                        IntVector v = IntVector.fromMemorySegment(I, w, p + Tile.HALF_COLUMN, Tile.LE);
                        a = ((FloatVector) u.lanewise(LSHL, shift)
                                        .lanewise(ASHR, 28)
                                        .convert(VectorOperators.I2F, 0))
                                .mul(low)
                                .fma(t, a);
                        b = ((FloatVector) v.lanewise(LSHL, shift)
                                        .lanewise(ASHR, 28)
                                        .convert(VectorOperators.I2F, 0))
                                .mul(high)
                                .fma(t, b);
                    }
                }
                a.intoArray(r.sums, run * Tile.ROWS + row);
                b.intoArray(r.sums, run * Tile.ROWS + row + Tile.HALF);
            }
        }
    }
}
