package io.tutti.engine.host.kernel;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.LSHL;

import io.tutti.engine.reference.Numerics;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * One tile times one vector: {@code y[r] += sum over k of w[r, k] * x[k]}, a segment's sum from zero in ascending order.
 * Decoding spends its time here, waiting for memory.
 *
 * <p>A segment's sum is a chain of dependent multiply-adds. So two segments go side by side, four chains in all: enough to
 * ask for memory as fast as it comes. Their sums are added in order.
 *
 * <p>In every method {@code w} holds the tile's columns from byte {@code at} on, {@code x} the vector's from {@code xAt}
 * on, and {@code y} the tile's 32 totals; {@code pair} says that there are two segments of {@code n} = {@value
 * Numerics#SEGMENT} columns, one after the other, instead of one of {@code n}.
 */
public final class Gemv {

    private static final VectorSpecies<Float> F = Lanes.FLOATS;
    private static final VectorSpecies<Integer> I = Lanes.INTS;
    private static final int LANES = F.length();

    private Gemv() {}

    /** f32 weights. */
    public static void f32(MemorySegment w, long at, float[] x, int xAt, int n, boolean pair, float[] y) {
        int second = pair ? Numerics.SEGMENT : 0;
        for (int row = 0; row < Tile.ROWS; row += 2 * LANES) {
            FloatVector a = FloatVector.zero(F);
            FloatVector b = a;
            FloatVector c = a;
            FloatVector d = a;
            long first = at + row * (long) Float.BYTES;
            long next = first + second * (long) Tile.F32_COLUMN;
            for (int k = 0; k < n; k++) {
                long column = k * (long) Tile.F32_COLUMN;
                FloatVector t = FloatVector.broadcast(F, x[xAt + k]);
                FloatVector u = FloatVector.broadcast(F, x[xAt + second + k]);
                a = FloatVector.fromMemorySegment(F, w, first + column, Tile.LE).fma(t, a);
                b = FloatVector.fromMemorySegment(F, w, first + column + 4L * LANES, Tile.LE)
                        .fma(t, b);
                c = FloatVector.fromMemorySegment(F, w, next + column, Tile.LE).fma(u, c);
                d = FloatVector.fromMemorySegment(F, w, next + column + 4L * LANES, Tile.LE)
                        .fma(u, d);
            }
            a = FloatVector.fromArray(F, y, row).add(a);
            b = FloatVector.fromArray(F, y, row + LANES).add(b);
            (pair ? a.add(c) : a).intoArray(y, row);
            (pair ? b.add(d) : b).intoArray(y, row + LANES);
        }
    }

    /** bf16 weights: an f32's upper half. */
    public static void bf16(MemorySegment w, long at, float[] x, int xAt, int n, boolean pair, float[] y) {
        int second = pair ? Numerics.SEGMENT : 0;
        for (int row = 0; row < Tile.HALF; row += LANES) {
            FloatVector a = FloatVector.zero(F);
            FloatVector b = a;
            FloatVector c = a;
            FloatVector d = a;
            long first = at + row * (long) Integer.BYTES;
            long next = first + second * (long) Tile.HALF_COLUMN;
            for (int k = 0; k < n; k++) {
                long column = k * (long) Tile.HALF_COLUMN;
                FloatVector t = FloatVector.broadcast(F, x[xAt + k]);
                FloatVector u = FloatVector.broadcast(F, x[xAt + second + k]);
                IntVector v = IntVector.fromMemorySegment(I, w, first + column, Tile.LE);
                IntVector z = IntVector.fromMemorySegment(I, w, next + column, Tile.LE);
                a = v.lanewise(LSHL, 16).reinterpretAsFloats().fma(t, a);
                b = v.and(Tile.HIGH_HALF).reinterpretAsFloats().fma(t, b);
                c = z.lanewise(LSHL, 16).reinterpretAsFloats().fma(u, c);
                d = z.and(Tile.HIGH_HALF).reinterpretAsFloats().fma(u, d);
            }
            a = FloatVector.fromArray(F, y, row).add(a);
            b = FloatVector.fromArray(F, y, row + Tile.HALF).add(b);
            (pair ? a.add(c) : a).intoArray(y, row);
            (pair ? b.add(d) : b).intoArray(y, row + Tile.HALF);
        }
    }

    /** f16 weights, all finite: the fields moved to an f32's places and its exponent set right, exact for subnormals too. */
    public static void f16(MemorySegment w, long at, float[] x, int xAt, int n, boolean pair, float[] y) {
        int second = pair ? Numerics.SEGMENT : 0;
        for (int row = 0; row < Tile.HALF; row += LANES) {
            FloatVector a = FloatVector.zero(F);
            FloatVector b = a;
            FloatVector c = a;
            FloatVector d = a;
            long first = at + row * (long) Integer.BYTES;
            long next = first + second * (long) Tile.HALF_COLUMN;
            for (int k = 0; k < n; k++) {
                long column = k * (long) Tile.HALF_COLUMN;
                FloatVector t = FloatVector.broadcast(F, x[xAt + k]);
                FloatVector u = FloatVector.broadcast(F, x[xAt + second + k]);
                IntVector v = IntVector.fromMemorySegment(I, w, first + column, Tile.LE);
                IntVector z = IntVector.fromMemorySegment(I, w, next + column, Tile.LE);
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
                c = z.lanewise(LSHL, 16)
                        .lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .fma(u, c);
                d = z.lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .fma(u, d);
            }
            a = FloatVector.fromArray(F, y, row).add(a);
            b = FloatVector.fromArray(F, y, row + Tile.HALF).add(b);
            (pair ? a.add(c) : a).intoArray(y, row);
            (pair ? b.add(d) : b).intoArray(y, row + Tile.HALF);
        }
    }

    /**
     * int4 weights {@code q * scale}, a product that is exact in f32; one segment.
     *
     * @param w the tile's nibbles, from byte {@code at} on
     * @param s the tile's scales, from byte {@code sAt} on
     * @param group columns that share a scale
     * @param k0 the segment's first column, a multiple of eight
     * @param x the whole vector
     */
    public static void int4(
            MemorySegment w, long at, MemorySegment s, long sAt, int group, float[] x, int k0, int n, float[] y) {
        for (int row = 0; row < Tile.HALF; row += LANES) {
            FloatVector a = FloatVector.zero(F);
            FloatVector b = a;
            for (int k = k0; k < k0 + n; ) {
                int end = Math.min(k0 + n, (k / group + 1) * group);
                IntVector pair = IntVector.fromMemorySegment(
                        I, s, sAt + row * (long) Integer.BYTES + (k / group) * (long) Tile.HALF_COLUMN, Tile.LE);
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
                    long p = at + row * (long) Integer.BYTES + (k / Tile.NIBBLES) * (long) Tile.INT4_COLUMNS;
                    int shift = 28 - 4 * (k % Tile.NIBBLES);
                    FloatVector xk = FloatVector.broadcast(F, x[k]);
                    IntVector u = IntVector.fromMemorySegment(I, w, p, Tile.LE);
                    IntVector v = IntVector.fromMemorySegment(I, w, p + Tile.HALF_COLUMN, Tile.LE);
                    a = ((FloatVector)
                                    u.lanewise(LSHL, shift).lanewise(ASHR, 28).convert(VectorOperators.I2F, 0))
                            .mul(low)
                            .fma(xk, a);
                    b = ((FloatVector)
                                    v.lanewise(LSHL, shift).lanewise(ASHR, 28).convert(VectorOperators.I2F, 0))
                            .mul(high)
                            .fma(xk, b);
                }
            }
            FloatVector.fromArray(F, y, row).add(a).intoArray(y, row);
            FloatVector.fromArray(F, y, row + Tile.HALF).add(b).intoArray(y, row + Tile.HALF);
        }
    }
}
