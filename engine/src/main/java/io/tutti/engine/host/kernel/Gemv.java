package io.tutti.engine.host.kernel;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.LSHL;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * One tile times one vector, for one segment of columns: {@code y[r] += sum over k of w[r, k] * x[k]}, the sum from zero in
 * ascending order. Decoding spends its time here, waiting for memory.
 *
 * <p>In every method {@code w} holds the tile's columns from byte {@code at} on, {@code x} the vector's from {@code xAt}
 * on, {@code n} is the number of columns, and {@code y} the tile's 32 totals.
 */
public final class Gemv {

    private static final VectorSpecies<Float> F = Lanes.STREAM_FLOATS;
    private static final VectorSpecies<Integer> I = Lanes.STREAM_INTS;
    private static final int LANES = F.length();

    private Gemv() {}

    /** f32 weights. */
    public static void f32(MemorySegment w, long at, float[] x, int xAt, int n, float[] y) {
        for (int row = 0; row < Tile.ROWS; row += 4 * LANES) {
            FloatVector a = FloatVector.zero(F);
            FloatVector b = a;
            FloatVector c = a;
            FloatVector d = a;
            for (int k = 0; k < n; k++) {
                long p = at + row * (long) Float.BYTES + k * (long) Tile.F32_COLUMN;
                FloatVector xk = FloatVector.broadcast(F, x[xAt + k]);
                a = FloatVector.fromMemorySegment(F, w, p, Tile.LE).fma(xk, a);
                b = FloatVector.fromMemorySegment(F, w, p + 4L * LANES, Tile.LE).fma(xk, b);
                c = FloatVector.fromMemorySegment(F, w, p + 8L * LANES, Tile.LE).fma(xk, c);
                d = FloatVector.fromMemorySegment(F, w, p + 12L * LANES, Tile.LE)
                        .fma(xk, d);
            }
            FloatVector.fromArray(F, y, row).add(a).intoArray(y, row);
            FloatVector.fromArray(F, y, row + LANES).add(b).intoArray(y, row + LANES);
            FloatVector.fromArray(F, y, row + 2 * LANES).add(c).intoArray(y, row + 2 * LANES);
            FloatVector.fromArray(F, y, row + 3 * LANES).add(d).intoArray(y, row + 3 * LANES);
        }
    }

    /** bf16 weights: an f32's upper half. */
    public static void bf16(MemorySegment w, long at, float[] x, int xAt, int n, float[] y) {
        for (int row = 0; row < Tile.HALF; row += 2 * LANES) {
            FloatVector a = FloatVector.zero(F);
            FloatVector b = a;
            FloatVector c = a;
            FloatVector d = a;
            for (int k = 0; k < n; k++) {
                long p = at + row * (long) Integer.BYTES + k * (long) Tile.HALF_COLUMN;
                FloatVector xk = FloatVector.broadcast(F, x[xAt + k]);
                IntVector u = IntVector.fromMemorySegment(I, w, p, Tile.LE);
                IntVector v = IntVector.fromMemorySegment(I, w, p + 4L * LANES, Tile.LE);
                a = u.lanewise(LSHL, 16).reinterpretAsFloats().fma(xk, a);
                b = v.lanewise(LSHL, 16).reinterpretAsFloats().fma(xk, b);
                c = u.and(Tile.HIGH_HALF).reinterpretAsFloats().fma(xk, c);
                d = v.and(Tile.HIGH_HALF).reinterpretAsFloats().fma(xk, d);
            }
            int high = row + Tile.HALF;
            FloatVector.fromArray(F, y, row).add(a).intoArray(y, row);
            FloatVector.fromArray(F, y, row + LANES).add(b).intoArray(y, row + LANES);
            FloatVector.fromArray(F, y, high).add(c).intoArray(y, high);
            FloatVector.fromArray(F, y, high + LANES).add(d).intoArray(y, high + LANES);
        }
    }

    /** f16 weights, all finite: the fields moved to an f32's places and its exponent set right, exact for subnormals too. */
    public static void f16(MemorySegment w, long at, float[] x, int xAt, int n, float[] y) {
        for (int row = 0; row < Tile.HALF; row += 2 * LANES) {
            FloatVector a = FloatVector.zero(F);
            FloatVector b = a;
            FloatVector c = a;
            FloatVector d = a;
            for (int k = 0; k < n; k++) {
                long p = at + row * (long) Integer.BYTES + k * (long) Tile.HALF_COLUMN;
                FloatVector xk = FloatVector.broadcast(F, x[xAt + k]);
                IntVector u = IntVector.fromMemorySegment(I, w, p, Tile.LE);
                IntVector v = IntVector.fromMemorySegment(I, w, p + 4L * LANES, Tile.LE);
                a = u.lanewise(LSHL, 16)
                        .lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .fma(xk, a);
                b = v.lanewise(LSHL, 16)
                        .lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .fma(xk, b);
                c = u.lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .fma(xk, c);
                d = v.lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .fma(xk, d);
            }
            int high = row + Tile.HALF;
            FloatVector.fromArray(F, y, row).add(a).intoArray(y, row);
            FloatVector.fromArray(F, y, row + LANES).add(b).intoArray(y, row + LANES);
            FloatVector.fromArray(F, y, high).add(c).intoArray(y, high);
            FloatVector.fromArray(F, y, high + LANES).add(d).intoArray(y, high + LANES);
        }
    }

    /**
     * int4 weights {@code q * scale}, a product that is exact in f32.
     *
     * @param w the tile's nibbles, from byte {@code at} on
     * @param s the tile's scales, from byte {@code sAt} on
     * @param group columns that share a scale
     * @param k0 the segment's first column, a multiple of eight
     * @param x the whole vector, from {@code xAt} on
     */
    public static void int4(
            MemorySegment w,
            long at,
            MemorySegment s,
            long sAt,
            int group,
            float[] x,
            int xAt,
            int k0,
            int n,
            float[] y) {
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
                    FloatVector xk = FloatVector.broadcast(F, x[xAt + k]);
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
