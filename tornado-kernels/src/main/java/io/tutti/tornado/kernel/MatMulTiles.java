package io.tutti.tornado.kernel;

import static io.tutti.tornado.kernel.Fma.fma;

import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.math.TornadoMath;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/**
 * {@code out[t, n] = dot(weight[n], in[t])} as a CPU likes it: a work-item takes a tile of 32 rows and up to {@value #TOKENS}
 * tokens, and reads the tile once, front to back. {@link MatMulLanes} is the other mapping.
 *
 * <p>Only loops over a tile's rows have constant bounds: those TornadoVM unrolls, and the driver's compiler makes vectors of
 * them. The others stay loops, since unrolled they would have to be compiled before the first token: for that reason a
 * segment begins where the last one ended, which is no count that could be known.
 */
public final class MatMulTiles {

    private static final int ROWS = Tiles.ROWS;

    /** Tokens that share one reading of the weights. */
    private static final int TOKENS = 16;

    private MatMulTiles() {}

    /** A work-item for each tile and {@value #TOKENS} tokens, each a work-group of its own. */
    public static Grid grid(int tokens, int rows) {
        return new Grid(Tiles.count(rows), (tokens + TOKENS - 1) / TOKENS, 1, 1, 1, 1);
    }

    /**
     * With weights of f32.
     *
     * @param weights {@code [layers][tiles][cols][32]}
     * @param biasAt where biases begin in {@code values}, or {@link Bias#NONE}
     * @param add 1 to add the product to what is there, 0 to replace that
     */
    public static void f32(
            KernelContext context,
            IntArray step,
            IntArray layer,
            IntArray launches,
            FloatArray values,
            FloatArray weights,
            int cols,
            int rows,
            int count,
            int inAt,
            int inStride,
            int outAt,
            int outStride,
            int biasAt,
            int add,
            int task) {
        Launches.count(context, launches, task);
        int tile = context.globalIdx;
        int first = context.globalIdy * TOKENS;
        int tokens = TornadoMath.min(TOKENS, step.get(count) - first);
        int before = layer.get(0) * Tiles.count(rows) + tile;
        int at = before * cols * ROWS;
        int in = inAt + first * inStride;
        int out = outAt + first * outStride + tile * ROWS;
        int left = rows - tile * ROWS;
        int bias = Bias.of(biasAt, before);
        if (tokens == 1) {
            f32(values, weights, at, cols, in, inStride, out, outStride, left, bias, add, 1);
        } else {
            f32(values, weights, at, cols, in, inStride, out, outStride, left, bias, add, tokens);
        }
    }

    private static void f32(
            FloatArray values,
            FloatArray weights,
            int at,
            int cols,
            int in,
            int inStride,
            int out,
            int outStride,
            int left,
            int bias,
            int add,
            int tokens) {
        float[] total = new float[TOKENS * ROWS];
        float[] sum = new float[TOKENS * ROWS];
        float[] column = new float[ROWS];
        clear(total, tokens);
        int end;
        for (int from = 0; from < cols; from = end) {
            end = TornadoMath.min(cols, from + Segments.SIZE);
            clear(sum, tokens);
            for (int k = from; k < end; k++) {
                for (int r = 0; r < ROWS; r++) {
                    column[r] = weights.get(at + k * ROWS + r);
                }
                multiply(column, values, in + k, inStride, sum, tokens);
            }
            addTo(total, sum, tokens);
        }
        write(total, values, out, outStride, left, bias, add, tokens);
    }

    /**
     * With weights of f16 or bf16.
     *
     * @param weights in pairs, {@code [layers][tiles][cols][16]}
     * @param format which of them, see {@link Tables}
     * @param biasAt where biases begin in {@code values}, or {@link Bias#NONE}
     * @param add 1 to add the product to what is there, 0 to replace that
     */
    public static void halves(
            KernelContext context,
            IntArray step,
            IntArray layer,
            IntArray launches,
            FloatArray values,
            IntArray weights,
            FloatArray tables,
            int format,
            int cols,
            int rows,
            int count,
            int inAt,
            int inStride,
            int outAt,
            int outStride,
            int biasAt,
            int add,
            int task) {
        Launches.count(context, launches, task);
        int compact = Tables.form(tables);
        int tile = context.globalIdx;
        int first = context.globalIdy * TOKENS;
        int tokens = TornadoMath.min(TOKENS, step.get(count) - first);
        int before = layer.get(0) * Tiles.count(rows) + tile;
        int at = before * cols * Tiles.PAIRS;
        int in = inAt + first * inStride;
        int out = outAt + first * outStride + tile * ROWS;
        int left = rows - tile * ROWS;
        int bias = Bias.of(biasAt, before);
        if (tokens == 1) {
            halves(
                    values, weights, at, tables, format, compact, cols, in, inStride, out, outStride, left, bias, add,
                    1);
        } else {
            halves(
                    values, weights, at, tables, format, compact, cols, in, inStride, out, outStride, left, bias, add,
                    tokens);
        }
    }

    private static void halves(
            FloatArray values,
            IntArray weights,
            int at,
            FloatArray tables,
            int format,
            int compact,
            int cols,
            int in,
            int inStride,
            int out,
            int outStride,
            int left,
            int bias,
            int add,
            int tokens) {
        float[] total = new float[TOKENS * ROWS];
        float[] sum = new float[TOKENS * ROWS];
        float[] column = new float[ROWS];
        clear(total, tokens);
        int end;
        for (int from = 0; from < cols; from = end) {
            end = TornadoMath.min(cols, from + Segments.SIZE);
            clear(sum, tokens);
            for (int k = from; k < end; k++) {
                widen(weights, at + k * Tiles.PAIRS, tables, format, compact, column);
                multiply(column, values, in + k, inStride, sum, tokens);
            }
            addTo(total, sum, tokens);
        }
        write(total, values, out, outStride, left, bias, add, tokens);
    }

    /**
     * With weights of int4 and their scales. Not called that: a kernel takes its method's name, and int4 is OpenCL's.
     *
     * @param weights nibbles, {@code [layers][tiles][ceil(cols / 8)][32]}
     * @param scales f16 in pairs, {@code [layers][tiles][cols / group][16]}
     * @param group columns that share a scale: even, and a divisor of {@code cols}
     * @param biasAt where biases begin in {@code values}, or {@link Bias#NONE}
     * @param add 1 to add the product to what is there, 0 to replace that
     */
    public static void nibbles(
            KernelContext context,
            IntArray step,
            IntArray layer,
            IntArray launches,
            FloatArray values,
            IntArray weights,
            IntArray scales,
            FloatArray tables,
            int group,
            int cols,
            int rows,
            int count,
            int inAt,
            int inStride,
            int outAt,
            int outStride,
            int biasAt,
            int add,
            int task) {
        Launches.count(context, launches, task);
        int compact = Tables.form(tables);
        int tile = context.globalIdx;
        int first = context.globalIdy * TOKENS;
        int tokens = TornadoMath.min(TOKENS, step.get(count) - first);
        int before = layer.get(0) * Tiles.count(rows) + tile;
        int at = before * Tiles.words(cols) * ROWS;
        int scalesAt = before * (cols / group) * Tiles.PAIRS;
        int in = inAt + first * inStride;
        int out = outAt + first * outStride + tile * ROWS;
        float[] total = new float[TOKENS * ROWS];
        float[] sum = new float[TOKENS * ROWS];
        float[] column = new float[ROWS];
        float[] scale = new float[ROWS];
        int[] word = new int[ROWS];
        clear(total, tokens);
        int g = 0;
        int end;
        for (int from = 0; from < cols; from = end) {
            end = TornadoMath.min(cols, from + Segments.SIZE);
            clear(sum, tokens);
            // A segment may begin and end inside a group, a group inside a word.
            int groupEnd;
            for (int s = from; s < end; s = groupEnd) {
                groupEnd = TornadoMath.min(end, (g + 1) * group);
                widen(scales, scalesAt + g * Tiles.PAIRS, tables, Tables.F16, compact, scale);
                int wordEnd;
                for (int w = s; w < groupEnd; w = wordEnd) {
                    wordEnd = TornadoMath.min(groupEnd, (w & -Tiles.NIBBLES) + Tiles.NIBBLES);
                    int p = at + (w >> 3) * ROWS;
                    for (int r = 0; r < ROWS; r++) {
                        word[r] = weights.get(p + r);
                    }
                    for (int k = w; k < wordEnd; k++) {
                        for (int r = 0; r < ROWS; r++) {
                            column[r] = Tiles.nibble(word[r], k & (Tiles.NIBBLES - 1)) * scale[r];
                        }
                        multiply(column, values, in + k, inStride, sum, tokens);
                    }
                }
                if (groupEnd == (g + 1) * group) {
                    g++;
                }
            }
            addTo(total, sum, tokens);
        }
        int bias = Bias.of(biasAt, before);
        write(total, values, out, outStride, rows - tile * ROWS, bias, add, tokens);
    }

    private static void clear(float[] sum, int tokens) {
        for (int i = 0; i < tokens * ROWS; i++) {
            sum[i] = 0f;
        }
    }

    private static void widen(IntArray pairs, int at, FloatArray tables, int format, int compact, float[] column) {
        for (int i = 0; i < Tiles.PAIRS; i++) {
            int pair = pairs.get(at + i);
            column[i] = Widen.half(tables, format, compact, pair, 0);
            column[i + Tiles.PAIRS] = Widen.half(tables, format, compact, pair, 16);
        }
    }

    private static void multiply(float[] column, FloatArray values, int in, int stride, float[] sum, int tokens) {
        for (int t = 0; t < tokens; t++) {
            float x = values.get(in + t * stride);
            int at = t * ROWS;
            for (int r = 0; r < ROWS; r++) {
                sum[at + r] = fma(column[r], x, sum[at + r]);
            }
        }
    }

    private static void addTo(float[] total, float[] sum, int tokens) {
        for (int i = 0; i < tokens * ROWS; i++) {
            total[i] = total[i] + sum[i];
        }
    }

    /** @param left rows of the matrix from this tile's first on */
    private static void write(
            float[] total, FloatArray values, int out, int stride, int left, int bias, int add, int tokens) {
        for (int i = 0; i < tokens * ROWS; i++) {
            int r = i & (ROWS - 1);
            if (r < left) {
                int at = out + i / ROWS * stride + r;
                float y = Bias.added(total[i], values, bias, r);
                values.set(at, add == 0 ? y : values.get(at) + y);
            }
        }
    }
}
