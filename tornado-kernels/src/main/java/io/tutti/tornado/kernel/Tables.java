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

    /** The two forms. */
    public static final int FULL = 0;

    public static final int COMPACT = 1;

    private static final int POWERS_BIAS = 127;
    private static final int POWERS_SIZE = 256;

    /** Where a NaN is, beside the powers; as a float of a kernel's own it could have other bits on each device. */
    static final int NAN = POWERS_SIZE - 1;

    private static final int FULL_SIZE = 1 << 16;

    static final int F16_FRACTION_BITS = 10;
    static final int BF16_FRACTION_BITS = 7;

    private static final int F16_SCALES = 1 << (16 - F16_FRACTION_BITS);
    private static final int BF16_SCALES = 1 << (16 - BF16_FRACTION_BITS);

    private Tables() {}

    /** Which form tables have; their size is a constant of a kernel's code, and so is this. */
    static int form(FloatArray tables) {
        return tables.getSize() < FULL_SIZE ? COMPACT : FULL;
    }

    /** Where 2^n is. */
    static int power(int n) {
        return POWERS_BIAS + n;
    }

    /** Where a format's table begins. */
    static int halves(int format, int compact) {
        int bf16 = POWERS_SIZE + (compact == COMPACT ? F16_SCALES : FULL_SIZE);
        return format == F16 ? POWERS_SIZE : bf16;
    }

    /** All tables, in one array. */
    public static FloatArray make(int compact) {
        FloatArray tables = new FloatArray(halves(BF16, compact) + (compact == COMPACT ? BF16_SCALES : FULL_SIZE));
        tables.init(0f);
        for (int n = Float.MIN_EXPONENT; n <= Float.MAX_EXPONENT; n++) {
            tables.set(power(n), Math.scalb(1f, n));
        }
        tables.set(NAN, Float.NaN);
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
        for (int i = 0; i < 1 << (16 - fractionBits); i++) {
            float power = widen(format, i << fractionBits);
            float unit = widen(format, (i << fractionBits) | 1);
            boolean subnormal = power == 0;
            tables.set(at + i, Float.isInfinite(power) ? power : subnormal ? unit : unit - power);
        }
    }

    private static float widen(int format, int bits) {
        return format == F16 ? Float.float16ToFloat((short) bits) : Float.intBitsToFloat(bits << 16);
    }
}
