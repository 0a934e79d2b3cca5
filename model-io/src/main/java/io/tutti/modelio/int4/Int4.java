package io.tutti.modelio.int4;

import io.tutti.modelio.dtype.Halves;

/**
 * Symmetric four-bit quantization of a row: each group of columns has one f16 scale s, max |w| / 7 as f16 can hold it,
 * and each weight an integer q in -8 to 7, the nearest to w / s, ties to even. A weight's value is then q * s, exact in
 * f32. Two q share a byte: column 2b in the low nibble, column 2b + 1 in the high one, each in two's complement.
 */
public final class Int4 {
    private static final int LEAST = -8;
    private static final int MOST = 7;

    private Int4() {}

    /**
     * The scale of a group, as it is stored.
     *
     * @param largest the largest magnitude in the group
     * @return infinity's bits for a magnitude above 458,640, whose seventh f16 cannot hold
     */
    public static short scale(float largest) {
        return Halves.floatToF16(largest / MOST);
    }

    /**
     * Quantizes one row of finite weights.
     *
     * @param row [cols], an even number of them and a multiple of {@code group}
     * @param packed [cols / 2], written
     * @param scales [cols / group], f16 bits, written
     * @return -1, or the first column of a group whose scale f16 cannot hold; what was written is then of no use
     */
    public static int quantizeRow(float[] row, int group, byte[] packed, short[] scales) {
        byte[] quantized = new byte[row.length];
        for (int first = 0; first < row.length; first += group) {
            short stored = scale(largest(row, first, group));
            // The stored scale divides, not the one before rounding: it is what the weights will be multiplied by.
            float scale = Halves.f16ToFloat(stored);
            if (Float.isInfinite(scale)) {
                return first;
            }
            scales[first / group] = stored;
            for (int i = first; i < first + group; i++) {
                quantized[i] = quantize(row[i], scale);
            }
        }
        pack(quantized, packed);
        return -1;
    }

    /** Writes q [cols], each in -8 to 7, as nibbles: packed [cols / 2]. */
    public static void pack(byte[] quantized, byte[] packed) {
        for (int b = 0; b < packed.length; b++) {
            packed[b] = (byte) ((quantized[2 * b] & 0xF) | quantized[2 * b + 1] << 4);
        }
    }

    /** Reads nibbles [cols / 2] as q [cols]. */
    public static void unpack(byte[] packed, byte[] quantized) {
        for (int b = 0; b < packed.length; b++) {
            quantized[2 * b] = (byte) ((byte) (packed[b] << 4) >> 4);
            quantized[2 * b + 1] = (byte) (packed[b] >> 4);
        }
    }

    /**
     * The weights of one row: q * s.
     *
     * @param packed [cols / 2]
     * @param scales [cols / group], f16 bits
     * @param row [cols], written
     */
    public static void dequantizeRow(byte[] packed, short[] scales, int group, float[] row) {
        byte[] quantized = new byte[row.length];
        unpack(packed, quantized);
        for (int i = 0; i < row.length; i++) {
            row[i] = quantized[i] * Halves.f16ToFloat(scales[i / group]);
        }
    }

    private static byte quantize(float weight, float scale) {
        if (scale == 0) {
            return 0;
        }
        return (byte) Math.clamp((int) Math.rint((double) (weight / scale)), LEAST, MOST);
    }

    /** Magnitudes are compared as the integers that their bits are, which is much quicker than Math.max. */
    private static float largest(float[] row, int first, int count) {
        int largest = 0;
        for (int i = first; i < first + count; i++) {
            largest = Math.max(largest, Float.floatToRawIntBits(row[i]) & Integer.MAX_VALUE);
        }
        return Float.intBitsToFloat(largest);
    }
}
