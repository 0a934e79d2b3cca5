package io.tutti.tornado.kernel;

import java.util.Random;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/**
 * Random weights of several layers, as a device has them and as f32.
 *
 * @param data f32: the tiles, else null
 * @param words the other formats: the tiles
 * @param scales int4: the tiles of scales, else null
 * @param widened {@code [layers][rows][cols]}
 */
record Packed(FloatArray data, IntArray words, IntArray scales, float[][][] widened) {

    private static final int ROWS = 32;

    static Packed f32(Random random, int layers, int rows, int cols) {
        float[][][] widened = new float[layers][rows][];
        int tiles = Math.ceilDiv(rows, ROWS);
        FloatArray data = new FloatArray(layers * tiles * cols * ROWS);
        data.init(0f);
        for (int l = 0; l < layers; l++) {
            for (int r = 0; r < rows; r++) {
                widened[l][r] = Workspace.row(random, cols);
                for (int k = 0; k < cols; k++) {
                    data.set(((l * tiles + r / ROWS) * cols + k) * ROWS + r % ROWS, widened[l][r][k]);
                }
            }
        }
        return new Packed(data, null, null, widened);
    }

    /** @param finite whether infinities and NaNs are left out */
    static Packed halves(Random random, int format, boolean finite, int layers, int rows, int cols) {
        float[][][] widened = new float[layers][rows][cols];
        IntArray words = pairs(layers, rows, cols);
        for (int l = 0; l < layers; l++) {
            for (int r = 0; r < rows; r++) {
                for (int k = 0; k < cols; k++) {
                    int bits = bits(random, format, finite, r);
                    widened[l][r][k] = widen(format, bits);
                    putHalf(words, l, rows, cols, r, k, bits);
                }
            }
        }
        return new Packed(null, words, null, widened);
    }

    static Packed int4(Random random, int group, int layers, int rows, int cols) {
        float[][][] widened = new float[layers][rows][cols];
        int tiles = Math.ceilDiv(rows, ROWS);
        int perRow = Math.ceilDiv(cols, 8);
        IntArray words = new IntArray(layers * tiles * perRow * ROWS);
        words.init(0);
        IntArray scales = pairs(layers, rows, cols / group);
        for (int l = 0; l < layers; l++) {
            for (int r = 0; r < rows; r++) {
                float scale = 0;
                for (int k = 0; k < cols; k++) {
                    if (k % group == 0) {
                        int bits = bits(random, Tables.F16, true, r) & 0x7FFF;
                        scale = widen(Tables.F16, bits);
                        putHalf(scales, l, rows, cols / group, r, k / group, bits);
                    }
                    int q = random.nextInt(16) - 8;
                    widened[l][r][k] = q * scale;
                    int at = ((l * tiles + r / ROWS) * perRow + k / 8) * ROWS + r % ROWS;
                    words.set(at, words.get(at) | (q & 15) << (4 * (k % 8)));
                }
            }
        }
        return new Packed(null, words, scales, widened);
    }

    private static IntArray pairs(int layers, int rows, int cols) {
        IntArray pairs = new IntArray(layers * Math.ceilDiv(rows, ROWS) * cols * ROWS / 2);
        pairs.init(0);
        return pairs;
    }

    private static void putHalf(IntArray pairs, int layer, int rows, int cols, int r, int k, int bits) {
        int tile = layer * Math.ceilDiv(rows, ROWS) + r / ROWS;
        int at = (tile * cols + k) * ROWS / 2 + r % (ROWS / 2);
        pairs.set(at, pairs.get(at) | bits << (r % ROWS < ROWS / 2 ? 0 : 16));
    }

    /** Bits of a number: in some rows any at all, in most one near 1, so that every term of a sum counts. */
    private static int bits(Random random, int format, boolean finite, int row) {
        int infinity = format == Tables.F16 ? 0x7C00 : 0x7F80;
        int one = format == Tables.F16 ? 0x3C00 : 0x3F80;
        int bits = random.nextInt(1 << 16);
        if (row % 5 > 0) {
            bits = (bits & 0x8000) | (one - (bits & 0x3FF));
        }
        return finite && (bits & infinity) == infinity ? bits & 0x8003 : bits;
    }

    private static float widen(int format, int bits) {
        return format == Tables.F16 ? Float.float16ToFloat((short) bits) : Float.intBitsToFloat(bits << 16);
    }
}
