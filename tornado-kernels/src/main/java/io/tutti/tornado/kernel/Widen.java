package io.tutti.tornado.kernel;

import uk.ac.manchester.tornado.api.types.arrays.FloatArray;

/** f16 and bf16 numbers as f32, exactly; no device needs to know such numbers. */
final class Widen {

    private Widen() {}

    /**
     * The f32 value.
     *
     * @param bits the number's 16, and nothing above them
     */
    static float half(FloatArray tables, int format, int compact, int bits) {
        int at = Tables.halves(format, compact);
        if (compact == Tables.FULL) {
            return tables.get(at + bits);
        }
        int fractionBits = format == Tables.F16 ? Tables.F16_FRACTION_BITS : Tables.BF16_FRACTION_BITS;
        int hiddenBit = 1 << fractionBits;
        int magnitude = bits & 0x7FFF;
        int infinity = 0x8000 - hiddenBit;
        int scale = magnitude > infinity ? Tables.NAN : at + (bits >> fractionBits);
        int fraction = (bits & (hiddenBit - 1)) + (magnitude < hiddenBit ? 0 : hiddenBit);
        return (float) fraction * tables.get(scale);
    }

    /** The same, of the lower ({@code shift} 0) or upper ({@code shift} 16) half of an int. */
    static float half(FloatArray tables, int format, int compact, int pair, int shift) {
        return half(tables, format, compact, (pair >> shift) & 0xFFFF);
    }
}
