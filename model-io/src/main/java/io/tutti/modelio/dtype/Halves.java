package io.tutti.modelio.dtype;

/**
 * Exact conversions between f32 and the two 16-bit formats: IEEE 754 binary16 (f16) and bfloat16. A half is carried as
 * the {@code short} of its bits.
 */
public final class Halves {
    /** The one NaN that {@link #floatToF16} writes. */
    public static final short F16_NAN = 0x7E00;

    private static final int F16_INFINITY = 0x7C00;
    private static final int F32_INFINITY = 0x7F800000;
    private static final int F32_MANTISSA_BITS = 23;
    private static final int F16_MANTISSA_BITS = 10;
    private static final int DROPPED_BITS = F32_MANTISSA_BITS - F16_MANTISSA_BITS;
    /** f32's exponent bias less f16's. */
    private static final int BIAS_DIFFERENCE = 127 - 15;

    private Halves() {}

    /** The f16's value, exact for every pattern; a NaN keeps its sign and payload. */
    public static float f16ToFloat(short half) {
        int sign = (half & 0x8000) << 16;
        int exponent = (half >> F16_MANTISSA_BITS) & 0x1F;
        int mantissa = half & 0x3FF;
        if (exponent == 0) {
            // Zero or subnormal: mantissa * 2^-24 is exact in f32.
            float magnitude = mantissa * 0x1p-24f;
            return sign == 0 ? magnitude : -magnitude;
        }
        int widened = exponent == 0x1F ? F32_INFINITY : (exponent + BIAS_DIFFERENCE) << F32_MANTISSA_BITS;
        return Float.intBitsToFloat(sign | widened | mantissa << DROPPED_BITS);
    }

    /**
     * The f16 nearest to {@code value}, ties to the even mantissa; magnitudes of 65520 and more become infinity, those
     * up to 2^-25 zero, every NaN {@link #F16_NAN}.
     */
    public static short floatToF16(float value) {
        if (Float.isNaN(value)) {
            return F16_NAN;
        }
        int bits = Float.floatToRawIntBits(value);
        int sign = (bits >>> 16) & 0x8000;
        int magnitude = bits & 0x7FFFFFFF;
        int exponent = (magnitude >>> F32_MANTISSA_BITS) - BIAS_DIFFERENCE;
        if (exponent >= 0x1F) {
            return (short) (sign | F16_INFINITY);
        }
        if (exponent >= 1) {
            // A carry out of the mantissa steps the exponent, up to infinity: the encodings are in order.
            return (short) (sign | roundToEven(magnitude - (BIAS_DIFFERENCE << F32_MANTISSA_BITS), DROPPED_BITS));
        }
        int shift = DROPPED_BITS + 1 - exponent;
        if (shift > F32_MANTISSA_BITS + 1) {
            return (short) sign;
        }
        int significand = (magnitude & 0x7FFFFF) | 1 << F32_MANTISSA_BITS;
        return (short) (sign | roundToEven(significand, shift));
    }

    /** The bf16's value: its bits are the upper half of the f32's. */
    public static float bf16ToFloat(short half) {
        return Float.intBitsToFloat(half << 16);
    }

    /** {@code bits / 2^drop}, to the nearest integer, ties to even. */
    private static int roundToEven(int bits, int drop) {
        int kept = bits >>> drop;
        int dropped = bits & ((1 << drop) - 1);
        int half = 1 << (drop - 1);
        return dropped > half || (dropped == half && (kept & 1) == 1) ? kept + 1 : kept;
    }
}
