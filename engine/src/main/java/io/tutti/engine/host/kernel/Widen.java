package io.tutti.engine.host.kernel;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.LSHL;

import io.tutti.engine.layout.Tile;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * One tile's columns as f32, {@code [n, 32]}: {@link Gemm} reads them from a buffer that stays in the first-level cache, once
 * for all tokens.
 *
 * <p>In every method {@code w} holds the tile's columns from byte {@code at} on, {@code n} is their number, and {@code out}
 * receives them from its start.
 */
public final class Widen {

    private static final VectorSpecies<Float> F = Lanes.FLOATS;
    private static final VectorSpecies<Integer> I = Lanes.INTS;
    private static final int LANES = F.length();

    private Widen() {}

    /** f32 weights. */
    public static void f32(MemorySegment w, long at, int n, float[] out) {
        MemorySegment.copy(w, Tile.FLOAT, at, out, 0, n * Tile.ROWS);
    }

    /** bf16 weights. */
    public static void bf16(MemorySegment w, long at, int n, float[] out) {
        for (int k = 0; k < n; k++) {
            for (int row = 0; row < Tile.HALF; row += LANES) {
                IntVector pair = IntVector.fromMemorySegment(
                        I, w, at + k * (long) Tile.HALF_COLUMN + row * (long) Integer.BYTES, Tile.LE);
                int to = k * Tile.ROWS + row;
                pair.lanewise(LSHL, 16).reinterpretAsFloats().intoArray(out, to);
                pair.and(Tile.HIGH_HALF).reinterpretAsFloats().intoArray(out, to + Tile.HALF);
            }
        }
    }

    /** f16 weights, all finite. */
    public static void f16(MemorySegment w, long at, int n, float[] out) {
        for (int k = 0; k < n; k++) {
            for (int row = 0; row < Tile.HALF; row += LANES) {
                IntVector pair = IntVector.fromMemorySegment(
                        I, w, at + k * (long) Tile.HALF_COLUMN + row * (long) Integer.BYTES, Tile.LE);
                int to = k * Tile.ROWS + row;
                pair.lanewise(LSHL, 16)
                        .lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .intoArray(out, to);
                pair.lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .intoArray(out, to + Tile.HALF);
            }
        }
    }

    /**
     * int4 weights.
     *
     * @param w the tile's nibbles, from byte {@code at} on
     * @param s the tile's scales, from byte {@code sAt} on
     * @param group columns that share a scale
     * @param k0 the first column
     */
    public static void int4(
            MemorySegment w, long at, MemorySegment s, long sAt, int group, int k0, int n, float[] out) {
        for (int row = 0; row < Tile.HALF; row += LANES) {
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
                    int to = (k - k0) * Tile.ROWS + row;
                    IntVector u = IntVector.fromMemorySegment(I, w, p, Tile.LE);
                    IntVector v = IntVector.fromMemorySegment(I, w, p + Tile.HALF_COLUMN, Tile.LE);
                    ((FloatVector) u.lanewise(LSHL, shift).lanewise(ASHR, 28).convert(VectorOperators.I2F, 0))
                            .mul(low)
                            .intoArray(out, to);
                    ((FloatVector) v.lanewise(LSHL, shift).lanewise(ASHR, 28).convert(VectorOperators.I2F, 0))
                            .mul(high)
                            .intoArray(out, to + Tile.HALF);
                }
            }
        }
    }
}
