package io.tutti.engine.host.kernel;

import static jdk.incubator.vector.VectorOperators.NE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/** f32 numbers to the KV cache: f16 to the nearest, ties to even, too large to infinity; and every NaN as the same one. */
public final class CacheWrites {

    private static final VectorSpecies<Float> F = Lanes.FLOATS;
    private static final int LANES = F.length();

    private CacheWrites() {}

    /** {@code out[i] = x[at + i]}, NaN being 0x7FC00000, which as f16 is 0x7E00. */
    public static void canonical(float[] x, int at, int n, float[] out) {
        int i = 0;
        for (; i <= n - LANES; i += LANES) {
            FloatVector v = FloatVector.fromArray(F, x, at + i);
            v.blend(Float.NaN, v.compare(NE, v)).intoArray(out, i);
        }
        for (; i < n; i++) {
            out[i] = Float.isNaN(x[at + i]) ? Float.NaN : x[at + i];
        }
    }

    /** The first {@code n} numbers as f16. A plain loop, for the JVM to vectorise as in {@link CacheReads}. */
    public static void narrow(float[] x, int n, short[] out) {
        for (int i = 0; i < n; i++) {
            out[i] = Float.floatToFloat16(x[i]);
        }
    }

    /**
     * Stores one position of a head.
     *
     * @param x from {@code at} on, {@code n} f16 numbers
     * @param to the byte of the first one's place
     * @param stride bytes from a number's place to the next one's
     */
    public static void store(short[] x, int at, int n, MemorySegment slab, long to, long stride) {
        if (stride == Short.BYTES) {
            MemorySegment.copy(x, at, slab, ValueLayout.JAVA_SHORT_UNALIGNED, to, n);
            return;
        }
        for (int i = 0; i < n; i++) {
            slab.set(ValueLayout.JAVA_SHORT_UNALIGNED, to + i * stride, x[at + i]);
        }
    }

    /** The same for f32 numbers. */
    public static void store(float[] x, int at, int n, MemorySegment slab, long to, long stride) {
        if (stride == Float.BYTES) {
            MemorySegment.copy(x, at, slab, ValueLayout.JAVA_FLOAT_UNALIGNED, to, n);
            return;
        }
        for (int i = 0; i < n; i++) {
            slab.set(ValueLayout.JAVA_FLOAT_UNALIGNED, to + i * stride, x[at + i]);
        }
    }
}
