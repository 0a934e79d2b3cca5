package io.tutti.tornado.kernel;

import uk.ac.manchester.tornado.api.types.arrays.FloatArray;

/** f16 and bf16 numbers as f32, exactly; no device needs to know such numbers. */
final class Widen {

    private Widen() {}

    private static final int MAGNITUDE = 0x7FFF;
    private static final int F16_HIDDEN_BIT = 1 << Tables.F16_FRACTION_BITS;
    private static final int F16_INFINITY = 0x7C00;
    private static final int BF16_HIDDEN_BIT = 1 << Tables.BF16_FRACTION_BITS;
    private static final int BF16_INFINITY = 0x7F80;

    /**
     * The value of one of two halves of an int.
     *
     * @param format {@link Tables#F16} or {@link Tables#BF16}
     * @param shift 0 for the lower half, 16 for the upper
     */
    static float half(FloatArray tables, int format, int compact, int pair, int shift) {
        int bits = (pair >> shift) & 0xFFFF;
        return format == Tables.F16 ? f16(tables, compact, bits) : bf16(tables, compact, bits);
    }

    /** @param bits the number's 16, and nothing above them */
    static float f16(FloatArray tables, int compact, int bits) {
        int at = Tables.halves(Tables.F16, compact);
        if (compact == Tables.FULL) {
            return tables.get(at + bits);
        }
        int magnitude = bits & MAGNITUDE;
        int scale = magnitude > F16_INFINITY ? Tables.NAN : at + (bits >> Tables.F16_FRACTION_BITS);
        int hidden = magnitude < F16_HIDDEN_BIT ? 0 : F16_HIDDEN_BIT;
        return (float) ((bits & (F16_HIDDEN_BIT - 1)) + hidden) * tables.get(scale);
    }

    /** @param bits the number's 16, and nothing above them */
    static float bf16(FloatArray tables, int compact, int bits) {
        int at = Tables.halves(Tables.BF16, compact);
        if (compact == Tables.FULL) {
            return tables.get(at + bits);
        }
        int magnitude = bits & MAGNITUDE;
        int scale = magnitude > BF16_INFINITY ? Tables.NAN : at + (bits >> Tables.BF16_FRACTION_BITS);
        int hidden = magnitude < BF16_HIDDEN_BIT ? 0 : BF16_HIDDEN_BIT;
        return (float) ((bits & (BF16_HIDDEN_BIT - 1)) + hidden) * tables.get(scale);
    }
}
