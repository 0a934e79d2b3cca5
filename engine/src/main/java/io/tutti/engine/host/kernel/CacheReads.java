package io.tutti.engine.host.kernel;

import static jdk.incubator.vector.VectorOperators.GE;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.S2I;

import io.tutti.engine.layout.Tile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Numbers of the KV cache as f32, exact for every pattern: subnormals, infinities and NaN too. A chunk of keys or values is
 * widened into a buffer that stays in the first-level cache, for all the query rows that see it.
 */
public final class CacheReads {

    private static final VectorSpecies<Float> F = Lanes.FLOATS;
    private static final VectorSpecies<Integer> I = Lanes.INTS;
    private static final VectorSpecies<Short> S = Lanes.SHORTS_TO_WIDEN;
    private static final int LANES = F.length();

    private static final ByteOrder NATIVE = ByteOrder.nativeOrder();

    /** An f16's infinity, its fields moved to an f32's places; whatever is as large, sign aside, is infinite or NaN. */
    private static final int F16_INFINITY = 0x7C00 << 13;

    /** The bits that make such a number the f32 of the same meaning. */
    private static final int F32_INFINITY = 0x7F800000;

    private CacheReads() {}

    /** {@code n} consecutive f16 numbers, as they are. */
    public static void copy(MemorySegment slab, long from, int n, short[] out, int at) {
        MemorySegment.copy(slab, ValueLayout.JAVA_SHORT_UNALIGNED, from, out, at, n);
    }

    /** {@code n} consecutive f32 numbers. */
    public static void copy(MemorySegment slab, long from, int n, float[] out, int at) {
        MemorySegment.copy(slab, ValueLayout.JAVA_FLOAT_UNALIGNED, from, out, at, n);
    }

    /**
     * The first {@code n} of f16 numbers. A plain loop, for the JVM to vectorise with the machine's own conversion, which the
     * Vector API lacks.
     */
    public static void widen(short[] halves, int n, float[] out) {
        for (int i = 0; i < n; i++) {
            out[i] = Float.float16ToFloat(halves[i]);
        }
    }

    /**
     * {@code rows} short runs of {@code n} f16 numbers each.
     *
     * @param slab the cache
     * @param at the first run's first byte
     * @param stride bytes from a run's start to the next one's
     * @param out receives run r at {@code outAt + r * outStride}
     */
    public static void f16Runs(
            MemorySegment slab, long at, long stride, int rows, int n, float[] out, int outAt, int outStride) {
        for (int row = 0; row < rows; row++) {
            long from = at + row * stride;
            int to = outAt + row * outStride;
            int i = 0;
            for (; i <= n - LANES; i += LANES) {
                IntVector fields = ((IntVector)
                                ShortVector.fromMemorySegment(S, slab, from + i * (long) Short.BYTES, NATIVE)
                                        .convertShape(S2I, I, 0))
                        .lanewise(LSHL, 13)
                        .and(Tile.F16_FIELDS);
                fields.reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .blend(
                                fields.or(F32_INFINITY).reinterpretAsFloats(),
                                fields.and(Integer.MAX_VALUE)
                                        .compare(GE, F16_INFINITY)
                                        .cast(F))
                        .intoArray(out, to + i);
            }
            for (; i < n; i++) {
                out[to + i] =
                        Float.float16ToFloat(slab.get(ValueLayout.JAVA_SHORT_UNALIGNED, from + i * (long) Short.BYTES));
            }
        }
    }

    /** The same for f32 numbers. */
    public static void f32Runs(
            MemorySegment slab, long at, long stride, int rows, int n, float[] out, int outAt, int outStride) {
        for (int row = 0; row < rows; row++) {
            long from = at + row * stride;
            int to = outAt + row * outStride;
            int i = 0;
            for (; i <= n - LANES; i += LANES) {
                FloatVector.fromMemorySegment(F, slab, from + i * (long) Float.BYTES, NATIVE)
                        .intoArray(out, to + i);
            }
            for (; i < n; i++) {
                out[to + i] = slab.get(ValueLayout.JAVA_FLOAT_UNALIGNED, from + i * (long) Float.BYTES);
            }
        }
    }
}
