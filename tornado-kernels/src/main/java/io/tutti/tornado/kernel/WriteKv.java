package io.tutti.tornado.kernel;

import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.math.TornadoMath;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;
import uk.ac.manchester.tornado.api.types.arrays.ShortArray;

/**
 * Writes each token's keys and values to its slot of the layer's cache, for B = blockTokens: keys {@code
 * [block][kvHead][headDim][B]}, so that neighbouring positions are neighbours, values {@code [block][kvHead][B][headDim]}.
 */
public final class WriteKv {

    private static final int MAGNITUDE = 0x7FFFFFFF;
    private static final int INFINITY = 0x7F800000;
    private static final int NAN = 0x7FC00000;

    private WriteKv() {}

    /** A work-item a number. */
    public static Grid grid(int tokens, int kvHeads, int headDim) {
        return Grid.over(headDim, kvHeads, tokens);
    }

    /** f32 to f16: nearest even, overflow to infinity, every NaN 0x7E00. */
    public static void f16(
            KernelContext context,
            IntArray step,
            IntArray layer,
            IntArray launches,
            FloatArray values,
            ShortArray keyCache,
            ShortArray valueCache,
            int keyAt,
            int keyStride,
            int valueAt,
            int valueStride,
            int kvHeads,
            int headDim,
            int blockTokens,
            int maxTokens,
            int task) {
        Launches.count(context, launches, task);
        int d = context.globalIdx;
        int head = context.globalIdy;
        int t = context.globalIdz;
        if (d < headDim && t < step.get(StepLayout.TOKENS)) {
            int slot = step.get(StepLayout.slot(maxTokens, t));
            int block = slot / blockTokens;
            int place = slot - block * blockTokens;
            int slab = layer.get(1) + (block * kvHeads + head) * headDim * blockTokens;
            int i = head * headDim + d;
            int key = Float.floatToRawIntBits(values.get(keyAt + t * keyStride + i));
            int value = Float.floatToRawIntBits(values.get(valueAt + t * valueStride + i));
            keyCache.set(slab + d * blockTokens + place, (short) toF16(key));
            valueCache.set(slab + place * headDim + d, (short) toF16(value));
        }
    }

    /** f32 as it is, but every NaN 0x7FC00000. */
    public static void f32(
            KernelContext context,
            IntArray step,
            IntArray layer,
            IntArray launches,
            FloatArray values,
            FloatArray keyCache,
            FloatArray valueCache,
            int keyAt,
            int keyStride,
            int valueAt,
            int valueStride,
            int kvHeads,
            int headDim,
            int blockTokens,
            int maxTokens,
            int task) {
        Launches.count(context, launches, task);
        int d = context.globalIdx;
        int head = context.globalIdy;
        int t = context.globalIdz;
        if (d < headDim && t < step.get(StepLayout.TOKENS)) {
            int slot = step.get(StepLayout.slot(maxTokens, t));
            int block = slot / blockTokens;
            int place = slot - block * blockTokens;
            int slab = layer.get(1) + (block * kvHeads + head) * headDim * blockTokens;
            int i = head * headDim + d;
            int key = Float.floatToRawIntBits(values.get(keyAt + t * keyStride + i));
            int value = Float.floatToRawIntBits(values.get(valueAt + t * valueStride + i));
            keyCache.set(slab + d * blockTokens + place, Float.intBitsToFloat(oneNaN(key)));
            valueCache.set(slab + place * headDim + d, Float.intBitsToFloat(oneNaN(value)));
        }
    }

    private static int oneNaN(int bits) {
        return (bits & MAGNITUDE) > INFINITY ? NAN : bits;
    }

    /** The bits of the nearest f16, by integer arithmetic: devices need not know f16. Right shifts see no sign bit. */
    private static int toF16(int bits) {
        int magnitude = bits & MAGNITUDE;
        int exponent = magnitude >> 23;

        // Normal: the exponent is rebiased by 127 - 15, and 13 bits of the fraction go. A carry out of it is right.
        int normal = roundShift(magnitude - (112 << 23), 13);
        // Subnormal: the whole significand in units of 2^-24. From a shift of 25 on, it is nothing.
        int shift = TornadoMath.min(126 - exponent, 25);
        int subnormal = roundShift((magnitude & 0x7FFFFF) | 0x800000, TornadoMath.max(shift, 1));

        int half = exponent > 112 ? TornadoMath.min(normal, 0x7C00) : subnormal;
        int signed = half | ((bits >> 16) & 0x8000);
        return magnitude > INFINITY ? 0x7E00 : signed;
    }

    /** x / 2^n, to nearest even. */
    private static int roundShift(int x, int n) {
        return (x + ((1 << (n - 1)) - 1) + ((x >> n) & 1)) >> n;
    }
}
