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
            int add,
            int task) {
        Launches.count(context, launches, task);
        int lane = context.localIdx;
        int y = context.localIdy;
        int tile = context.groupIdx;
        int first = context.groupIdy * TOKENS;
        int live = step.get(count) - first;
        float[] sums = context.allocateFloatLocalArray(SEGMENTS * TOKENS * ROWS);
        int at = (layer.get(0) * Tiles.count(rows) + tile) * cols * ROWS + lane;
        int in = inAt + first * inStride;
        float total = 0f;
        for (int from = 0; from < cols; from += STRIDE) {
            int begin = from + y * Segments.SIZE;
            int end = TornadoMath.min(cols, begin + Segments.SIZE);
            int slot = y * TOKENS * ROWS + lane;
            if (live >= TOKENS) {
                f32(values, weights, at, in, inStride, begin, end, sums, slot, TOKENS);
            } else {
                for (int t = 0; t < live; t++) {
                    f32(values, weights, at, in + t * inStride, 0, begin, end, sums, slot + t * ROWS, 1);
                }
            }
            context.localBarrier();
            total = addTo(total, sums, cols - from, y, lane);
            context.localBarrier();
        }
        int row = tile * ROWS + lane;
        if (y < TOKENS && y < live && row < rows) {
            write(total, values, outAt + (first + y) * outStride + row, add);
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
            float[] sums,
            int slot,
            int tokens) {
        float[] sum = new float[tokens];
        clear(sum, tokens);
        for (int k = begin; k < end; k++) {
            multiply(weights.get(at + k * ROWS), values, in + k, inStride, sum, tokens);
        }
        leave(sum, sums, slot, tokens);
    }

    /**
     * With weights of f16 or bf16.
     *
     * @param weights in pairs, {@code [layers][tiles][cols][16]}
     * @param format which of them, see {@link Tables}
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
            int compact,
            int cols,
            int rows,
            int count,
            int inAt,
            int inStride,
            int outAt,
            int outStride,
            int add,
            int task) {
        Launches.count(context, launches, task);
        int lane = context.localIdx;
        int y = context.localIdy;
        int tile = context.groupIdx;
        int first = context.groupIdy * TOKENS;
        int live = step.get(count) - first;
        float[] sums = context.allocateFloatLocalArray(SEGMENTS * TOKENS * ROWS);
        int at = (layer.get(0) * Tiles.count(rows) + tile) * cols * Tiles.PAIRS + (lane & (Tiles.PAIRS - 1));
        int shift = Tiles.halfShift(lane);
        int in = inAt + first * inStride;
        float total = 0f;
        for (int from = 0; from < cols; from += STRIDE) {
            int begin = from + y * Segments.SIZE;
            int end = TornadoMath.min(cols, begin + Segments.SIZE);
            int slot = y * TOKENS * ROWS + lane;
            if (live >= TOKENS) {
                halves(
                        values, weights, at, shift, tables, format, compact, in, inStride, begin, end, sums, slot,
                        TOKENS);
            } else {
                for (int t = 0; t < live; t++) {
                    int x = in + t * inStride;
                    halves(
                            values,
                            weights,
                            at,
                            shift,
                            tables,
                            format,
                            compact,
                            x,
                            0,
                            begin,
                            end,
                            sums,
                            slot + t * ROWS,
                            1);
                }
            }
            context.localBarrier();
            total = addTo(total, sums, cols - from, y, lane);
            context.localBarrier();
        }
        int row = tile * ROWS + lane;
        if (y < TOKENS && y < live && row < rows) {
            write(total, values, outAt + (first + y) * outStride + row, add);
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
            float[] sums,
            int slot,
            int tokens) {
        float[] sum = new float[tokens];
        clear(sum, tokens);
        for (int k = begin; k < end; k++) {
            float weight = Widen.half(tables, format, compact, weights.get(at + k * Tiles.PAIRS), shift);
            multiply(weight, values, in + k, inStride, sum, tokens);
        }
        leave(sum, sums, slot, tokens);
    }

    /**
     * With weights of int4 and their scales.
     *
     * @param weights nibbles, {@code [layers][tiles][ceil(cols / 8)][32]}
     * @param scales f16 in pairs, {@code [layers][tiles][cols / group][16]}
     * @param group columns that share a scale: even, and a divisor of {@code cols}
     * @param add 1 to add the product to what is there, 0 to replace that
     */
    public static void int4(
            KernelContext context,
            IntArray step,
            IntArray layer,
            IntArray launches,
            FloatArray values,
            IntArray weights,
            IntArray scales,
            FloatArray tables,
            int group,
            int compact,
            int cols,
            int rows,
            int count,
            int inAt,
            int inStride,
            int outAt,
            int outStride,
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
        int at = before * Tiles.words(cols) * ROWS + lane;
        int scalesAt = before * (cols / group) * Tiles.PAIRS + (lane & (Tiles.PAIRS - 1));
        int shift = Tiles.halfShift(lane);
        int in = inAt + first * inStride;
        float total = 0f;
        for (int from = 0; from < cols; from += STRIDE) {
            int begin = from + y * Segments.SIZE;
            int end = TornadoMath.min(cols, begin + Segments.SIZE);
            int slot = y * TOKENS * ROWS + lane;
            if (live >= TOKENS) {
                int4(
                        values, weights, at, scales, scalesAt, shift, tables, compact, group, in, inStride, begin, end,
                        sums, slot, TOKENS);
            } else {
                for (int t = 0; t < live; t++) {
                    int x = in + t * inStride;
                    int4(
                            values,
                            weights,
                            at,
                            scales,
                            scalesAt,
                            shift,
                            tables,
                            compact,
                            group,
                            x,
                            0,
                            begin,
                            end,
                            sums,
                            slot + t * ROWS,
                            1);
                }
            }
            context.localBarrier();
            total = addTo(total, sums, cols - from, y, lane);
            context.localBarrier();
        }
        int row = tile * ROWS + lane;
        if (y < TOKENS && y < live && row < rows) {
            write(total, values, outAt + (first + y) * outStride + row, add);
        }
    }

    private static void int4(
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
            float[] sums,
            int slot,
            int tokens) {
        float[] sum = new float[tokens];
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
        leave(sum, sums, slot, tokens);
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

    /** Puts a segment's sums into local memory, {@code [SEGMENTS][TOKENS][ROWS]}. */
    private static void leave(float[] sum, float[] sums, int slot, int tokens) {
        for (int t = 0; t < tokens; t++) {
            sums[slot + t * ROWS] = sum[t];
        }
    }

    /** Token y's total, after the segments of the next {@code left} columns. */
    private static float addTo(float total, float[] sums, int left, int y, int lane) {
        float result = total;
        if (y < TOKENS) {
            int segments = TornadoMath.min(SEGMENTS, Segments.count(left));
            for (int s = 0; s < segments; s++) {
                result = result + sums[(s * TOKENS + y) * ROWS + lane];
            }
        }
        return result;
    }

    private static void write(float total, FloatArray values, int at, int add) {
        values.set(at, add == 0 ? total : values.get(at) + total);
    }
}
