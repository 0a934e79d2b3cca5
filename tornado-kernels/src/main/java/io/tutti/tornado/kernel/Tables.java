package io.tutti.tornado.kernel;

import uk.ac.manchester.tornado.api.types.arrays.FloatArray;

/**
 * Constants that kernels look up, since they can not make a float of bits: powers of two for {@link Exponential}, and for
 * {@link Widen} either every 16-bit number's value or, compact, a scale for each sign and exponent.
 *
 * <p>The full tables suit CPUs: a lookup is a load from a cache, and there is no arithmetic. The compact ones suit GPUs:
 * scattered loads from half a megabyte would cost more than the multiplication.
 */
public final class Tables {

    /** Values of {@code format}: what 16-bit numbers are. */
    public static final int F16 = 0;

    public static final int BF16 = 1;

    /** Values of {@code compact}. */
    public static final int FULL = 0;

    public static final int COMPACT = 1;

    /** 2^n is at n + 127. */
    static final int POWERS = 0;

    private static final int POWERS_BIAS = 127;
    private static final int POWERS_SIZE = 256;
    private static final int SMALLEST_POWER = -126;

    private static final int FULL_SIZE = 1 << 16;

    static final int F16_FRACTION_BITS = 10;
    static final int BF16_FRACTION_BITS = 7;

    /** Behind the scales by sign and exponent there is a NaN, which is the scale of NaNs. */
    private static final int F16_SCALES = (1 << (16 - F16_FRACTION_BITS)) + 1;

    private static final int BF16_SCALES = (1 << (16 - BF16_FRACTION_BITS)) + 1;

    private Tables() {}

    /** Where the powers' zero is: 2^n is at {@code power(n)}. */
    static int power(int n) {
        return POWERS + POWERS_BIAS + n;
    }

    /** Where a format's table begins. */
    static int halves(int format, int compact) {
        int bf16 = POWERS + POWERS_SIZE + (compact == COMPACT ? F16_SCALES : FULL_SIZE);
        return format == F16 ? POWERS + POWERS_SIZE : bf16;
    }

    /** All tables, in one array. */
    public static FloatArray make(int compact) {
        FloatArray tables = new FloatArray(halves(BF16, compact) + (compact == COMPACT ? BF16_SCALES : FULL_SIZE));
        tables.init(0f);
        for (int n = SMALLEST_POWER; n <= Float.MAX_EXPONENT; n++) {
            tables.set(power(n), Math.scalb(1f, n));
        }
        fill(tables, F16, compact);
        fill(tables, BF16, compact);
        return tables;
    }

    private static void fill(FloatArray tables, int format, int compact) {
        int at = halves(format, compact);
        if (compact == FULL) {
            for (int bits = 0; bits < FULL_SIZE; bits++) {
                tables.set(at + bits, widen(format, bits));
            }
            return;
        }
        // The scale is what one unit of the fraction is worth; an infinity's makes its hidden bit infinite.
        int fractionBits = format == F16 ? F16_FRACTION_BITS : BF16_FRACTION_BITS;
        int scales = 1 << (16 - fractionBits);
        for (int i = 0; i < scales; i++) {
            float power = widen(format, i << fractionBits);
            float unit = widen(format, (i << fractionBits) | 1);
            boolean subnormal = power == 0;
            tables.set(at + i, Float.isInfinite(power) ? power : subnormal ? unit : unit - power);
        }
        tables.set(at + scales, Float.NaN);
    }

    private static float widen(int format, int bits) {
        return format == F16 ? Float.float16ToFloat((short) bits) : Float.intBitsToFloat(bits << 16);
    }
}
