package io.tutti.tornado.kernel;

import static io.tutti.tornado.kernel.Fma.fma;

import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.math.TornadoMath;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;
import uk.ac.manchester.tornado.api.types.arrays.ShortArray;

/**
 * Causal attention over the layer's cache, one segment of 256 positions at a time; {@link AttentionCombine} joins them. A
 * work-group of {@value #LANES} takes a segment, a query head and a token. Its lanes first are positions: each scores some,
 * and neighbours read neighbouring keys. Then they are the head's dimensions: each sums the values of some, in order.
 *
 * <p>Caches are laid out as by {@link WriteKv}. A segment's result is {@code headDim} sums, the highest score and the sum of
 * the weights: {@code partial[token][head][segment][headDim + 2]} in {@code values}, with room for {@code capacity} segments.
 */
public final class Attention {

    private static final int LANES = 64;

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
     * @param queryAt of the queries, {@code [tokens][heads][headDim]}
     * @param scale {@link io.tutti.engine.reference.Numerics#attentionScale}
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
            int compact,
            float scale,
            int heads,
            int kvHeads,
            int headDim,
            int blockTokens,
            int maxTokens,
            int capacity,
            int queryAt,
            int queryStride,
            int partialAt,
            int task) {
        Launches.count(context, launches, task);
        int lane = context.localIdx;
        int segment = context.groupIdx;
        int head = context.groupIdy;
        int t = context.groupIdz;
        float[] weights = context.allocateFloatLocalArray(Segments.SIZE);
        float[] highest = context.allocateFloatLocalArray(LANES);
        int first = segment * Segments.SIZE;
        int live = live(step, maxTokens, t, first);
        if (live > 0) {
            int query = queryAt + t * queryStride + head * headDim;
            int table = StepLayout.block(maxTokens, step.get(StepLayout.table(maxTokens, t)));
            int kvHead = head / (heads / kvHeads);
            int slab = layer.get(1) + kvHead * headDim * blockTokens;
            int blockStride = kvHeads * headDim * blockTokens;

            float most = Float.NEGATIVE_INFINITY;
            for (int j = lane; j < live; j += LANES) {
                int block = (first + j) / blockTokens;
                int place = first + j - block * blockTokens;
                int key = slab + step.get(table + block) * blockStride + place;
                float score = 0f;
                int end;
                for (int from = 0; from < headDim; from = end) {
                    end = TornadoMath.min(headDim, from + Segments.SIZE);
                    float sum = 0f;
                    for (int d = from; d < end; d++) {
                        float k = Widen.half(tables, Tables.F16, compact, keyCache.get(key + d * blockTokens) & 0xFFFF);
                        sum = fma(values.get(query + d) * scale, k, sum);
                    }
                    score = score + sum;
                }
                weights[j] = score;
                most = score > most ? score : most;
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

            int out = partialAt + partial(t, head, segment, heads, headDim, capacity);
            for (int d = lane; d < headDim; d += LANES) {
                float sum = 0f;
                int end;
                for (int j = 0; j < live; j = end) {
                    int block = (first + j) / blockTokens;
                    int place = first + j - block * blockTokens;
                    int value = slab + step.get(table + block) * blockStride + place * headDim + d;
                    end = TornadoMath.min(live, j + blockTokens - place);
                    for (int i = j; i < end; i++) {
                        int bits = valueCache.get(value + (i - j) * headDim) & 0xFFFF;
                        sum = fma(weights[i], Widen.half(tables, Tables.F16, compact, bits), sum);
                    }
                }
                values.set(out + d, sum);
            }
            if (lane == 0) {
                values.set(out + headDim, max);
                float sum = 0f;
                for (int j = 0; j < live; j++) {
                    sum = sum + weights[j];
                }
                values.set(out + headDim + 1, sum);
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
            int blockTokens,
            int maxTokens,
            int capacity,
            int queryAt,
            int queryStride,
            int partialAt,
            int task) {
        Launches.count(context, launches, task);
        int lane = context.localIdx;
        int segment = context.groupIdx;
        int head = context.groupIdy;
        int t = context.groupIdz;
        float[] weights = context.allocateFloatLocalArray(Segments.SIZE);
        float[] highest = context.allocateFloatLocalArray(LANES);
        int first = segment * Segments.SIZE;
        int live = live(step, maxTokens, t, first);
        if (live > 0) {
            int query = queryAt + t * queryStride + head * headDim;
            int table = StepLayout.block(maxTokens, step.get(StepLayout.table(maxTokens, t)));
            int kvHead = head / (heads / kvHeads);
            int slab = layer.get(1) + kvHead * headDim * blockTokens;
            int blockStride = kvHeads * headDim * blockTokens;

            float most = Float.NEGATIVE_INFINITY;
            for (int j = lane; j < live; j += LANES) {
                int block = (first + j) / blockTokens;
                int place = first + j - block * blockTokens;
                int key = slab + step.get(table + block) * blockStride + place;
                float score = 0f;
                int end;
                for (int from = 0; from < headDim; from = end) {
                    end = TornadoMath.min(headDim, from + Segments.SIZE);
                    float sum = 0f;
                    for (int d = from; d < end; d++) {
                        sum = fma(values.get(query + d) * scale, keyCache.get(key + d * blockTokens), sum);
                    }
                    score = score + sum;
                }
                weights[j] = score;
                most = score > most ? score : most;
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

            int out = partialAt + partial(t, head, segment, heads, headDim, capacity);
            for (int d = lane; d < headDim; d += LANES) {
                float sum = 0f;
                int end;
                for (int j = 0; j < live; j = end) {
                    int block = (first + j) / blockTokens;
                    int place = first + j - block * blockTokens;
                    int value = slab + step.get(table + block) * blockStride + place * headDim + d;
                    end = TornadoMath.min(live, j + blockTokens - place);
                    for (int i = j; i < end; i++) {
                        sum = fma(weights[i], valueCache.get(value + (i - j) * headDim), sum);
                    }
                }
                values.set(out + d, sum);
            }
            if (lane == 0) {
                values.set(out + headDim, max);
                float sum = 0f;
                for (int j = 0; j < live; j++) {
                    sum = sum + weights[j];
                }
                values.set(out + headDim + 1, sum);
            }
        }
    }

    /** How many of the segment's positions token t sees: at most 0 if none, or there is no such token. */
    private static int live(IntArray step, int maxTokens, int t, int first) {
        if (t >= step.get(StepLayout.TOKENS)) {
            return 0;
        }
        return TornadoMath.min(Segments.SIZE, step.get(StepLayout.position(maxTokens, t)) + 1 - first);
    }
}
