package io.tutti.engine.numerics;

/**
 * int4 weights with int8 activations in plain Java, as golden's numerics specification has it: a row is quantized in blocks of
 * {@value #BLOCK} columns, and columns that share the weight's scale and the row's have an integer dot product.
 */
public final class Int8Activations {

    /** Columns of a row that share a scale. */
    public static final int BLOCK = 32;

    /** The largest magnitude of a quantized activation. */
    public static final int LARGEST = 127;

    private static final int MAGNITUDE = 0x7FFF_FFFF;
    private static final int INFINITY = 0x7F80_0000;

    private Int8Activations() {}

    /** Blocks of a row of {@code cols} columns; the last one may be shorter. */
    public static int blocks(int cols) {
        return (cols + BLOCK - 1) / BLOCK;
    }

    /**
     * Quantizes a row of {@code cols} activations that begins at {@code x[at]}.
     *
     * @param q receives {@code [cols]}, each in -127 to 127
     * @param scales receives {@code [blocks(cols)]}: NaN where a block holds what is not finite
     */
    public static void quantize(float[] x, int at, int cols, byte[] q, float[] scales) {
        for (int b = 0; b < blocks(cols); b++) {
            int from = b * BLOCK;
            int to = Math.min(cols, from + BLOCK);
            int largest = 0; // Magnitudes are ordered as their bits are, infinity and NaN above all numbers.
            for (int k = from; k < to; k++) {
                largest = Math.max(largest, Float.floatToRawIntBits(x[at + k]) & MAGNITUDE);
            }
            scales[b] = scale(largest);
            for (int k = from; k < to; k++) {
                q[k] = scales[b] > 0 ? quantize(x[at + k], scales[b]) : 0;
            }
        }
    }

    /** The scale of a block, given the bits of its largest magnitude. */
    public static float scale(int largest) {
        return largest < INFINITY ? Float.intBitsToFloat(largest) / LARGEST : Float.NaN;
    }

    private static byte quantize(float x, float scale) {
        return (byte) Math.clamp((float) Math.rint(x / scale), -LARGEST, LARGEST);
    }

    /**
     * The product of a weight's row and a quantized row, {@code cols} columns each.
     *
     * @param w the weight's integers, -8 to 7, from {@code wAt} on
     * @param wScales the scale of each group of columns, from {@code wScalesAt} on
     * @param group columns that share a scale of the weight's
     * @param x the row, {@code [cols]}
     * @param xScales its scales, {@code [blocks(cols)]}
     */
    public static float dot(
            byte[] w, int wAt, float[] wScales, int wScalesAt, int group, byte[] x, float[] xScales, int cols) {
        float total = 0;
        float sum = 0;
        int end;
        for (int k = 0; k < cols; k = end) {
            end = Math.min(cols, Math.min(nextMultiple(k, group), nextMultiple(k, BLOCK)));
            int dot = 0;
            for (int i = k; i < end; i++) {
                dot += w[wAt + i] * x[i];
            }
            sum = Math.fma((float) dot, wScales[wScalesAt + k / group] * xScales[k / BLOCK], sum);
            if (end % Numerics.SEGMENT == 0 || end == cols) {
                total += sum;
                sum = 0;
            }
        }
        return total;
    }

    private static int nextMultiple(int k, int of) {
        return (k / of + 1) * of;
    }
}
