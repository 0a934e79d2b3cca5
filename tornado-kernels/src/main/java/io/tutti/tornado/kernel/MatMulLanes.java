package io.tutti.tornado.kernel;

import static io.tutti.tornado.kernel.Fma.fma;

import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.math.TornadoMath;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/**
 * {@code out[t, n] = dot(weight[n], in[t])} as a GPU likes it: a work-group takes a tile of 32 rows and {@value #TOKENS}
 * tokens. Its lanes along x are the rows, so that they read neighbouring weights and broadcast activations; along y {@value
 * #SEGMENTS} segments are summed at once, meet in local memory, and are added in order. If fewer tokens are left, they are
 * taken one at a time. {@link MatMulTiles} is the other mapping.
 */
public final class MatMulLanes {

    private static final int ROWS = Tiles.ROWS;

    /** Tokens that share one reading of the weights. */
    private static final int TOKENS = 4;

    /** Segments that are summed side by side. */
    private static final int SEGMENTS = 8;

    /** Columns that a work-group covers between two barriers. */
    private static final int STRIDE = SEGMENTS * Segments.SIZE;

    private MatMulLanes() {}

    /** A work-group of 32 rows by {@value #SEGMENTS} segments for each tile and {@value #TOKENS} tokens. */
    public static Grid grid(int tokens, int rows) {
        return new Grid(Tiles.count(rows) * ROWS, (tokens + TOKENS - 1) / TOKENS * SEGMENTS, 1, ROWS, SEGMENTS, 1);
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
        int lane = context.localIdx;
        int y = context.localIdy;
        int tile = context.groupIdx;
        int first = context.groupIdy * TOKENS;
        int live = step.get(count) - first;
        float[] sums = context.allocateFloatLocalArray(SEGMENTS * TOKENS * ROWS);
        int before = layer.get(0) * Tiles.count(rows) + tile;
        int at = before * cols * ROWS + lane;
        int in = inAt + first * inStride;
        float[] sum = new float[TOKENS];
        float total = 0f;
        for (int from = 0; from < cols; from += STRIDE) {
            int begin = from + y * Segments.SIZE;
            int end = TornadoMath.min(cols, begin + Segments.SIZE);
            int slot = y * TOKENS * ROWS + lane;
            if (live >= TOKENS) {
                f32(values, weights, at, in, inStride, begin, end, sum, TOKENS);
                for (int t = 0; t < TOKENS; t++) {
                    sums[slot + t * ROWS] = sum[t];
                }
            } else {
                for (int t = 0; t < live; t++) {
                    f32(values, weights, at, in + t * inStride, 0, begin, end, sum, 1);
                    sums[slot + t * ROWS] = sum[0];
                }
            }
            context.localBarrier();
            if (y < TOKENS) {
                int segments = TornadoMath.min(SEGMENTS, Segments.count(cols - from));
                for (int s = 0; s < segments; s++) {
                    total = total + sums[(s * TOKENS + y) * ROWS + lane];
                }
            }
            context.localBarrier();
        }
        int row = tile * ROWS + lane;
        if (y < TOKENS && y < live && row < rows) {
            float biased = Bias.added(total, values, Bias.of(biasAt, before), lane);
            write(biased, values, outAt + (first + y) * outStride + row, add);
        }
    }

    private static void f32(
            FloatArray values,
            FloatArray weights,
            int at,
            int in,
            int inStride,
            int begin,
            int end,
            float[] sum,
            int tokens) {
        clear(sum, tokens);
        for (int k = begin; k < end; k++) {
            multiply(weights.get(at + k * ROWS), values, in + k, inStride, sum, tokens);
        }
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
        int lane = context.localIdx;
        int y = context.localIdy;
        int tile = context.groupIdx;
        int first = context.groupIdy * TOKENS;
        int live = step.get(count) - first;
        float[] sums = context.allocateFloatLocalArray(SEGMENTS * TOKENS * ROWS);
        int before = layer.get(0) * Tiles.count(rows) + tile;
        int at = before * cols * Tiles.PAIRS + (lane & (Tiles.PAIRS - 1));
        int shift = Tiles.halfShift(lane);
        int in = inAt + first * inStride;
        float[] sum = new float[TOKENS];
        float total = 0f;
        for (int from = 0; from < cols; from += STRIDE) {
            int begin = from + y * Segments.SIZE;
            int end = TornadoMath.min(cols, begin + Segments.SIZE);
            int slot = y * TOKENS * ROWS + lane;
            if (live >= TOKENS) {
                halves(values, weights, at, shift, tables, format, compact, in, inStride, begin, end, sum, TOKENS);
                for (int t = 0; t < TOKENS; t++) {
                    sums[slot + t * ROWS] = sum[t];
                }
            } else {
                for (int t = 0; t < live; t++) {
                    int x = in + t * inStride;
                    halves(values, weights, at, shift, tables, format, compact, x, 0, begin, end, sum, 1);
                    sums[slot + t * ROWS] = sum[0];
                }
            }
            context.localBarrier();
            if (y < TOKENS) {
                int segments = TornadoMath.min(SEGMENTS, Segments.count(cols - from));
                for (int s = 0; s < segments; s++) {
                    total = total + sums[(s * TOKENS + y) * ROWS + lane];
                }
            }
            context.localBarrier();
        }
        int row = tile * ROWS + lane;
        if (y < TOKENS && y < live && row < rows) {
            float biased = Bias.added(total, values, Bias.of(biasAt, before), lane);
            write(biased, values, outAt + (first + y) * outStride + row, add);
        }
    }

    private static void halves(
            FloatArray values,
            IntArray weights,
            int at,
            int shift,
            FloatArray tables,
            int format,
            int compact,
            int in,
            int inStride,
            int begin,
            int end,
            float[] sum,
            int tokens) {
        clear(sum, tokens);
        for (int k = begin; k < end; k++) {
            float weight = Widen.half(tables, format, compact, weights.get(at + k * Tiles.PAIRS), shift);
            multiply(weight, values, in + k, inStride, sum, tokens);
        }
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
        int lane = context.localIdx;
        int y = context.localIdy;
        int tile = context.groupIdx;
        int first = context.groupIdy * TOKENS;
        int live = step.get(count) - first;
        float[] sums = context.allocateFloatLocalArray(SEGMENTS * TOKENS * ROWS);
        int before = layer.get(0) * Tiles.count(rows) + tile;
        int at = before * Tiles.words(cols) * ROWS + lane;
        int scalesAt = before * (cols / group) * Tiles.PAIRS + (lane & (Tiles.PAIRS - 1));
        int shift = Tiles.halfShift(lane);
        int in = inAt + first * inStride;
        float[] sum = new float[TOKENS];
        float total = 0f;
        for (int from = 0; from < cols; from += STRIDE) {
            int begin = from + y * Segments.SIZE;
            int end = TornadoMath.min(cols, begin + Segments.SIZE);
            int slot = y * TOKENS * ROWS + lane;
            if (live >= TOKENS) {
                nibbles(
                        values, weights, at, scales, scalesAt, shift, tables, compact, group, in, inStride, begin, end,
                        sum, TOKENS);
                for (int t = 0; t < TOKENS; t++) {
                    sums[slot + t * ROWS] = sum[t];
                }
            } else {
                for (int t = 0; t < live; t++) {
                    int x = in + t * inStride;
                    nibbles(
                            values, weights, at, scales, scalesAt, shift, tables, compact, group, x, 0, begin, end, sum,
                            1);
                    sums[slot + t * ROWS] = sum[0];
                }
            }
            context.localBarrier();
            if (y < TOKENS) {
                int segments = TornadoMath.min(SEGMENTS, Segments.count(cols - from));
                for (int s = 0; s < segments; s++) {
                    total = total + sums[(s * TOKENS + y) * ROWS + lane];
                }
            }
            context.localBarrier();
        }
        int row = tile * ROWS + lane;
        if (y < TOKENS && y < live && row < rows) {
            float biased = Bias.added(total, values, Bias.of(biasAt, before), lane);
            write(biased, values, outAt + (first + y) * outStride + row, add);
        }
    }

    private static void nibbles(
            FloatArray values,
            IntArray weights,
            int at,
            IntArray scales,
            int scalesAt,
            int shift,
            FloatArray tables,
            int compact,
            int group,
            int in,
            int inStride,
            int begin,
            int end,
            float[] sum,
            int tokens) {
        clear(sum, tokens);
        int wordEnd;
        for (int w = begin; w < end; w = wordEnd) {
            int g = w / group;
            // A word may lie in several groups.
            wordEnd = TornadoMath.min((w & -Tiles.NIBBLES) + Tiles.NIBBLES, (g + 1) * group);
            wordEnd = TornadoMath.min(wordEnd, end);
            float scale = Widen.half(tables, Tables.F16, compact, scales.get(scalesAt + g * Tiles.PAIRS), shift);
            int word = weights.get(at + (w >> 3) * ROWS);
            for (int k = w; k < wordEnd; k++) {
                float weight = Tiles.nibble(word, k & (Tiles.NIBBLES - 1)) * scale;
                multiply(weight, values, in + k, inStride, sum, tokens);
            }
        }
    }

    private static void clear(float[] sum, int tokens) {
        for (int t = 0; t < tokens; t++) {
            sum[t] = 0f;
        }
    }

    private static void multiply(float weight, FloatArray values, int in, int stride, float[] sum, int tokens) {
        for (int t = 0; t < tokens; t++) {
            sum[t] = fma(weight, values.get(in + t * stride), sum[t]);
        }
    }

    private static void write(float total, FloatArray values, int at, int add) {
        values.set(at, add == 0 ? total : values.get(at) + total);
    }
}
