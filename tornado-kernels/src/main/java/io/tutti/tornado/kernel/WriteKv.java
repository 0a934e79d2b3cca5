package io.tutti.tornado.kernel;

import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;
import uk.ac.manchester.tornado.api.types.arrays.ShortArray;

/**
 * Writes each token's keys and values to its slot of the layer's cache, for B = blockTokens: keys {@code
 * [block][kvHead][headDim][B]}, so that neighbouring positions are neighbours, values {@code [block][kvHead][B][headDim]}.
 */
public final class WriteKv {

    /** The bits of an f16 infinity, of NaN, and the sign bit. */
    private static final int INFINITY = 0x7C00;

    private static final int NAN = 0x7E00;
    private static final int SIGN = 0x8000;

    /** The least number that rounds to infinity: halfway from the largest f16 to what would come next. */
    private static final float OVERFLOW = 65520f;

    private static final int MIN_EXPONENT = -14;
    private static final int FRACTION_BITS = 10;
    private static final int F32_FRACTION_BITS = 23;

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
            FloatArray tables,
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
            float key = values.get(keyAt + t * keyStride + i);
            float value = values.get(valueAt + t * valueStride + i);
            keyCache.set(slab + d * blockTokens + place, (short) toF16(tables, key));
            valueCache.set(slab + place * headDim + d, (short) toF16(tables, value));
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
            FloatArray tables,
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
            float key = values.get(keyAt + t * keyStride + i);
            float value = values.get(valueAt + t * valueStride + i);
            keyCache.set(slab + d * blockTokens + place, oneNaN(tables, key));
            valueCache.set(slab + place * headDim + d, oneNaN(tables, value));
        }
    }

    private static float oneNaN(FloatArray tables, float x) {
        return Float.isNaN(x) ? tables.get(Tables.NAN) : x;
    }

    /**
     * The bits of the nearest f16, found by f32 arithmetic: a kernel can not see the bits of a float that it has loaded. The
     * sum of the magnitude and a power of two whose last place is the f16's rounds as is wanted.
     */
    private static int toF16(FloatArray tables, float x) {
        // One comparison at a time: TornadoVM loses a negation in "a || b && c".
        float signed = x == 0f ? 1f / x : x;
        int sign = signed < 0f ? SIGN : 0;
        float magnitude = x < 0f ? -x : x;
        int exponent = MIN_EXPONENT;
        for (int step = 16; step > 0; step >>= 1) {
            exponent = magnitude >= tables.get(Tables.power(exponent + step)) ? exponent + step : exponent;
        }
        float round = tables.get(Tables.power(exponent + F32_FRACTION_BITS - FRACTION_BITS));
        float rounded = (magnitude + round) - round;
        int significand = (int) (rounded * tables.get(Tables.power(FRACTION_BITS - exponent)));
        // A subnormal's significand is its fraction; a normal one's has the hidden bit, which counts the exponent up by
        // one.
        int finite = ((exponent - MIN_EXPONENT) << FRACTION_BITS) + significand;
        int half = (magnitude >= OVERFLOW ? INFINITY : finite) | sign;
        return Float.isNaN(x) ? NAN : half;
    }
}
