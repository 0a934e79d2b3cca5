package io.tutti.tornado.kernel;

import static io.tutti.tornado.kernel.Fma.fma;

import io.tutti.engine.graph.Op;
import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.math.TornadoMath;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;
import uk.ac.manchester.tornado.api.types.arrays.ShortArray;

/**
 * Causal attention over the layer's cache, one segment of 256 positions at a time; {@link AttentionCombine} joins them. A
 * work-group of {@value #LANES} takes a segment, a query head and a token. Its lanes first are positions, then the head's
 * dimensions; either way neighbours read neighbouring numbers. Of a segment that the token's window begins in, positions
 * before it are left out, and a segment wholly before it is.
 *
 * <p>Sums run in order, so a lane waits for each of its additions. A GPU has other lanes to turn to; a CPU takes the lanes one
 * after the other, and gets {@value #CPU_WIDTH} sums a lane to keep it busy.
 *
 * <p>The two kernels are alike but for {@link #read}: as a method that both call, what they have in common would exceed what
 * TornadoVM inlines (600 nodes), and local memory can not be passed on. The cache that a kernel has not is null in such calls.
 *
 * <p>Caches are laid out as by {@link WriteKv}. A segment's result is {@code headDim} sums, the highest score and the sum of
 * the weights: {@code partial[token][head][segment][headDim + 2]} in {@code values}, with room for {@code capacity} segments.
 */
public final class Attention {

    private static final int LANES = 64;

    /** Positions, and dimensions, that a lane takes at once on a CPU. */
    private static final int CPU_WIDTH = 4;

    private Attention() {}

    /**
     * A work-group for each segment, query head and token.
     *
     * @param segments of the longest context of the step, as in {@link StepLayout#SEGMENTS}
     */
    public static Grid grid(int tokens, int heads, int segments) {
        return new Grid(segments * LANES, heads, tokens, LANES, 1, 1);
    }

    /** Floats of the partial results. */
    public static long partialSize(int tokens, int heads, int headDim, int capacity) {
        return (long) tokens * heads * capacity * (headDim + 2);
    }

    /** Where a segment's partial result is, counted from the first. */
    static int partial(int t, int head, int segment, int heads, int headDim, int capacity) {
        return ((t * heads + head) * capacity + segment) * (headDim + 2);
    }

    /**
     * With caches of f16.
     *
     * @param tables whose form tells whether the device is a CPU
     * @param queryAt of the queries, {@code [tokens][heads][headDim]}
     * @param scale {@link io.tutti.engine.numerics.Numerics#attentionScale}
     * @param window positions that a token sees up to its own, {@link Op.Attention#WHOLE_CONTEXT} for all
     */
    public static void f16(
            KernelContext context,
            IntArray step,
            IntArray layer,
            IntArray launches,
            FloatArray values,
            ShortArray keyCache,
            ShortArray valueCache,
            FloatArray tables,
            float scale,
            int heads,
            int kvHeads,
            int headDim,
            int window,
            int blockTokens,
            int maxTokens,
            int capacity,
            int queryAt,
            int queryStride,
            int partialAt,
            int task) {
        Launches.count(context, launches, task);
        int compact = Tables.form(tables);
        int lane = context.localIdx;
        float[] weights = context.allocateFloatLocalArray(Segments.SIZE);
        float[] highest = context.allocateFloatLocalArray(LANES);
        int segment = context.groupIdx;
        int head = context.groupIdy;
        int t = context.groupIdz;
        int first = first(step, maxTokens, window, t, segment);
        int live = live(step, maxTokens, t, segment, first);
        if (live > 0) {
            int query = queryAt + t * queryStride + head * headDim;
            int table = StepLayout.block(maxTokens, step.get(StepLayout.table(maxTokens, t)));
            int slab = layer.get(1) + head / (heads / kvHeads) * headDim * blockTokens;
            int blockStride = kvHeads * headDim * blockTokens;
            int out = partialAt + partial(t, head, segment, heads, headDim, capacity);
            int width = compact == Tables.FULL ? CPU_WIDTH : 1;
            int[] at = new int[width];
            float[] sum = new float[width];

            float most = Float.NEGATIVE_INFINITY;
            for (int j = lane * width; j < live; j += LANES * width) {
                for (int i = 0; i < width; i++) {
                    int position = first + TornadoMath.min(j + i, live - 1);
                    int block = position / blockTokens;
                    at[i] = slab + step.get(table + block) * blockStride + position - block * blockTokens;
                }
                score(
                        values,
                        query,
                        scale,
                        headDim,
                        keyCache,
                        null,
                        tables,
                        true,
                        compact,
                        at,
                        blockTokens,
                        sum,
                        width);
                for (int i = 0; i < width; i++) {
                    if (j + i < live) {
                        weights[j + i] = sum[i];
                        most = sum[i] > most ? sum[i] : most;
                    }
                }
            }
            highest[lane] = most;
            context.localBarrier();

            float max = Float.NEGATIVE_INFINITY;
            int scorers = TornadoMath.min(LANES, live);
            for (int i = 0; i < scorers; i++) {
                max = highest[i] > max ? highest[i] : max;
            }
            for (int j = lane; j < live; j += LANES) {
                weights[j] = Exponential.exp(tables, weights[j] - max);
            }
            context.localBarrier();

            for (int d = lane * width; d < headDim; d += LANES * width) {
                for (int i = 0; i < width; i++) {
                    sum[i] = 0f;
                }
                int end;
                for (int j = 0; j < live; j = end) {
                    int block = (first + j) / blockTokens;
                    int place = first + j - block * blockTokens;
                    int row = slab + step.get(table + block) * blockStride + (place - j) * headDim;
                    end = TornadoMath.min(live, j + blockTokens - place);
                    for (int p = j; p < end; p++) {
                        float weight = weights[p];
                        for (int i = 0; i < width; i++) {
                            int column = TornadoMath.min(d + i, headDim - 1);
                            float v = read(valueCache, null, tables, true, compact, row + p * headDim + column);
                            sum[i] = fma(weight, v, sum[i]);
                        }
                    }
                }
                for (int i = 0; i < width; i++) {
                    if (d + i < headDim) {
                        values.set(out + d + i, sum[i]);
                    }
                }
            }
            if (lane == 0) {
                values.set(out + headDim, max);
                float sumOfWeights = 0f;
                for (int j = 0; j < live; j++) {
                    sumOfWeights = sumOfWeights + weights[j];
                }
                values.set(out + headDim + 1, sumOfWeights);
            }
        }
    }

    /** With caches of f32; the rest is as for {@link #f16}. */
    public static void f32(
            KernelContext context,
            IntArray step,
            IntArray layer,
            IntArray launches,
            FloatArray values,
            FloatArray keyCache,
            FloatArray valueCache,
            FloatArray tables,
            float scale,
            int heads,
            int kvHeads,
            int headDim,
            int window,
            int blockTokens,
            int maxTokens,
            int capacity,
            int queryAt,
            int queryStride,
            int partialAt,
            int task) {
        Launches.count(context, launches, task);
        int compact = Tables.form(tables);
        int lane = context.localIdx;
        float[] weights = context.allocateFloatLocalArray(Segments.SIZE);
        float[] highest = context.allocateFloatLocalArray(LANES);
        int segment = context.groupIdx;
        int head = context.groupIdy;
        int t = context.groupIdz;
        int first = first(step, maxTokens, window, t, segment);
        int live = live(step, maxTokens, t, segment, first);
        if (live > 0) {
            int query = queryAt + t * queryStride + head * headDim;
            int table = StepLayout.block(maxTokens, step.get(StepLayout.table(maxTokens, t)));
            int slab = layer.get(1) + head / (heads / kvHeads) * headDim * blockTokens;
            int blockStride = kvHeads * headDim * blockTokens;
            int out = partialAt + partial(t, head, segment, heads, headDim, capacity);
            int width = compact == Tables.FULL ? CPU_WIDTH : 1;
            int[] at = new int[width];
            float[] sum = new float[width];

            float most = Float.NEGATIVE_INFINITY;
            for (int j = lane * width; j < live; j += LANES * width) {
                for (int i = 0; i < width; i++) {
                    int position = first + TornadoMath.min(j + i, live - 1);
                    int block = position / blockTokens;
                    at[i] = slab + step.get(table + block) * blockStride + position - block * blockTokens;
                }
                score(
                        values,
                        query,
                        scale,
                        headDim,
                        null,
                        keyCache,
                        tables,
                        false,
                        compact,
                        at,
                        blockTokens,
                        sum,
                        width);
                for (int i = 0; i < width; i++) {
                    if (j + i < live) {
                        weights[j + i] = sum[i];
                        most = sum[i] > most ? sum[i] : most;
                    }
                }
            }
            highest[lane] = most;
            context.localBarrier();

            float max = Float.NEGATIVE_INFINITY;
            int scorers = TornadoMath.min(LANES, live);
            for (int i = 0; i < scorers; i++) {
                max = highest[i] > max ? highest[i] : max;
            }
            for (int j = lane; j < live; j += LANES) {
                weights[j] = Exponential.exp(tables, weights[j] - max);
            }
            context.localBarrier();

            for (int d = lane * width; d < headDim; d += LANES * width) {
                for (int i = 0; i < width; i++) {
                    sum[i] = 0f;
                }
                int end;
                for (int j = 0; j < live; j = end) {
                    int block = (first + j) / blockTokens;
                    int place = first + j - block * blockTokens;
                    int row = slab + step.get(table + block) * blockStride + (place - j) * headDim;
                    end = TornadoMath.min(live, j + blockTokens - place);
                    for (int p = j; p < end; p++) {
                        float weight = weights[p];
                        for (int i = 0; i < width; i++) {
                            int column = TornadoMath.min(d + i, headDim - 1);
                            float v = read(null, valueCache, tables, false, compact, row + p * headDim + column);
                            sum[i] = fma(weight, v, sum[i]);
                        }
                    }
                }
                for (int i = 0; i < width; i++) {
                    if (d + i < headDim) {
                        values.set(out + d + i, sum[i]);
                    }
                }
            }
            if (lane == 0) {
                values.set(out + headDim, max);
                float sumOfWeights = 0f;
                for (int j = 0; j < live; j++) {
                    sumOfWeights = sumOfWeights + weights[j];
                }
                values.set(out + headDim + 1, sumOfWeights);
            }
        }
    }

    /** The first segment that a token at {@code position} sees a position of. */
    static int firstSegment(int position, int window) {
        return window == Op.Attention.WHOLE_CONTEXT ? 0 : firstVisible(position, window) / Segments.SIZE;
    }

    private static int firstVisible(int position, int window) {
        return TornadoMath.max(0, position - window + 1);
    }

    /** The first of the segment's positions that the token's window has; beyond the segment, if it has none. */
    private static int first(IntArray step, int maxTokens, int window, int t, int segment) {
        int first = segment * Segments.SIZE;
        return window == Op.Attention.WHOLE_CONTEXT
                ? first
                : TornadoMath.max(first, firstVisible(step.get(StepLayout.position(maxTokens, t)), window));
    }

    /** How many of the segment's positions token t sees from the first on: at most 0 if none, or there is no such token. */
    private static int live(IntArray step, int maxTokens, int t, int segment, int first) {
        if (t >= step.get(StepLayout.TOKENS)) {
            return 0;
        }
        int end = TornadoMath.min((segment + 1) * Segments.SIZE, step.get(StepLayout.position(maxTokens, t)) + 1);
        return end - first;
    }

    /** Scores of the query with the keys that begin at {@code at}, whose numbers are {@code stride} apart. */
    private static void score(
            FloatArray values,
            int query,
            float scale,
            int headDim,
            ShortArray keys16,
            FloatArray keys32,
            FloatArray tables,
            boolean f16,
            int compact,
            int[] at,
            int stride,
            float[] scores,
            int width) {
        float[] sum = new float[width];
        for (int i = 0; i < width; i++) {
            scores[i] = 0f;
        }
        int end;
        for (int from = 0; from < headDim; from = end) {
            end = TornadoMath.min(headDim, from + Segments.SIZE);
            for (int i = 0; i < width; i++) {
                sum[i] = 0f;
            }
            for (int d = from; d < end; d++) {
                float q = values.get(query + d) * scale;
                for (int i = 0; i < width; i++) {
                    sum[i] = fma(q, read(keys16, keys32, tables, f16, compact, at[i] + d * stride), sum[i]);
                }
            }
            for (int i = 0; i < width; i++) {
                scores[i] = scores[i] + sum[i];
            }
        }
    }

    private static float read(
            ShortArray cache16, FloatArray cache32, FloatArray tables, boolean f16, int compact, int at) {
        return f16 ? Widen.f16(tables, compact, cache16.get(at) & 0xFFFF) : cache32.get(at);
    }
}
