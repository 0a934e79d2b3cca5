package io.tutti.engine.host;

import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Op.Attention;
import io.tutti.engine.host.kernel.Attend;
import io.tutti.engine.host.kernel.CacheReads;
import io.tutti.engine.host.kernel.Elementwise;
import io.tutti.engine.reference.Numerics;
import io.tutti.kv.KvDtype;
import io.tutti.kv.KvLayerSlab;
import java.util.Arrays;

/**
 * Causal attention of one layer, in two passes as the order of its sums suggests. First, for each segment of 256 positions, a
 * worker widens one KV head's keys and values and lets every query row of a tile of tokens, and every query head that shares
 * the KV head, go over them; then each row's segments are joined. So a long context keeps all workers busy even when one
 * token is decoded, and a prompt reads each key once a tile.
 */
final class AttentionOp implements HostOp {

    /** Tokens whose queries go over a segment while it is widened. */
    private static final int TILE_TOKENS = 16;

    /** Floats that the segments' partial results may take: 16 MiB. */
    private static final int PARTIAL_FLOATS = 1 << 22;

    /**
     * A partial result is one segment's for one token and query head: the largest score m, the sum l of the weights exp(z -
     * m), and the values so weighted, {@code [padded]}. All of them are {@code [tokens, heads, segments, 2 + padded]}, where
     * padded is the head size in whole vectors.
     */
    private static final int MAX = 0;

    private static final int WEIGHT = 1;
    private static final int VALUES = 2;

    private final Attention op;
    private final KvLayerSlab keys;
    private final KvLayerSlab values;
    private final KvDtype dtype;
    private final int blockTokens;
    private final Partials partials;
    private final int padded;
    private final int partialSize;
    private final float scale;

    /** The segments' results of the layer that is running; layers share one, since they run one after the other. */
    static final class Partials {
        private float[] data = {};

        private float[] room(int n) {
            if (data.length < n) {
                data = new float[n];
            }
            return data;
        }
    }

    AttentionOp(Attention op, KvLayerSlab keys, KvLayerSlab values, KvDtype dtype, int blockTokens, Partials partials) {
        this.op = op;
        this.keys = keys;
        this.values = values;
        this.dtype = dtype;
        this.blockTokens = blockTokens;
        this.partials = partials;
        padded = Attend.padded(op.headDim());
        partialSize = VALUES + padded;
        scale = Numerics.attentionScale(op.headDim());
    }

    @Override
    public void run(Step step) {
        StepInputs in = step.inputs();
        for (int s = 0; s < in.sequences(); s++) {
            int end = in.sequenceStarts()[s + 1];
            int segments = segments(in.positions()[end - 1] + 1);
            int tokensAtOnce = Math.max(1, PARTIAL_FLOATS / (op.heads() * segments * partialSize));
            for (int t = in.sequenceStarts()[s]; t < end; t += tokensAtOnce) {
                run(step, s, t, Math.min(end, t + tokensAtOnce));
            }
        }
    }

    private static int segments(int positions) {
        return (positions + Numerics.SEGMENT - 1) / Numerics.SEGMENT;
    }

    /** Tokens {@code from} to {@code to} of sequence {@code s}. */
    private void run(Step step, int s, int from, int to) {
        int[] positions = step.inputs().positions();
        float[] q = step.data(op.q());
        float[] out = step.data(op.out());
        int segments = segments(positions[to - 1] + 1);
        int tiles = (to - from + TILE_TOKENS - 1) / TILE_TOKENS;
        float[] partial = partials.room((to - from) * op.heads() * segments * partialSize);

        step.workers().forEach(tiles * op.kvHeads() * segments, (i, worker) -> {
            int segment = i % segments;
            int kvHead = i / segments % op.kvHeads();
            int first = from + i / segments / op.kvHeads() * TILE_TOKENS;
            int last = Math.min(to, first + TILE_TOKENS);
            if (positions[last - 1] >= segment * Numerics.SEGMENT) {
                overSegment(
                        step.inputs(),
                        q,
                        s,
                        segment,
                        kvHead,
                        first,
                        last,
                        from,
                        segments,
                        partial,
                        step.scratch(worker));
            }
        });
        step.workers()
                .forEach(
                        to - from,
                        (i, worker) -> join(
                                positions[from + i],
                                i,
                                segments,
                                partial,
                                out,
                                (from + i) * op.out().width(),
                                step.scratch(worker)));
    }

    /** One segment and KV head, for the queries of tokens {@code first} to {@code last}. */
    private void overSegment(
            StepInputs in,
            float[] q,
            int s,
            int segment,
            int kvHead,
            int first,
            int last,
            int from,
            int segments,
            float[] partial,
            Scratch scratch) {
        int headDim = op.headDim();
        int group = op.heads() / op.kvHeads();
        int start = segment * Numerics.SEGMENT;
        int[] positions = in.positions();
        float[] k = scratch.keys(headDim * Attend.POSITIONS);
        float[] v = scratch.values(Attend.POSITIONS * padded);
        widen(in, s, kvHead, start, Math.min(start + Numerics.SEGMENT, positions[last - 1] + 1), k, v);

        float[] row = scratch.row(headDim);
        float[] z = scratch.totals(Attend.POSITIONS);
        for (int t = first; t < last; t++) {
            int n = Math.min(Numerics.SEGMENT, positions[t] + 1 - start);
            if (n <= 0) {
                continue;
            }
            for (int head = kvHead * group; head < (kvHead + 1) * group; head++) {
                int at = (t * op.heads() + head) * headDim;
                for (int d = 0; d < headDim; d++) {
                    row[d] = q[at + d] * scale;
                }
                Attend.scores(row, 0, headDim, k, n, z);
                float max = Float.NEGATIVE_INFINITY;
                for (int j = 0; j < n; j++) {
                    max = Math.max(max, z[j]);
                }
                Elementwise.expShifted(z, 0, n, max);
                float weight = 0;
                for (int j = 0; j < n; j++) {
                    weight += z[j];
                }
                int to = (((t - from) * op.heads() + head) * segments + segment) * partialSize;
                partial[to + MAX] = max;
                partial[to + WEIGHT] = weight;
                Attend.values(z, n, v, padded, partial, to + VALUES);
            }
        }
    }

    /** Widens positions {@code start} to {@code end} of one head: keys to {@code [D, 256]}, values to {@code [256, padded]}. */
    private void widen(StepInputs in, int s, int kvHead, int start, int end, float[] k, float[] v) {
        int table = in.tableStarts()[s];
        for (int p = start; p < end; ) {
            int slot = p % blockTokens;
            int n = Math.min(blockTokens - slot, end - p);
            int block = in.blockTables()[table + p / blockTokens];
            long keyAt = keys.at(block, kvHead) + slot * keys.positionStride();
            long valueAt = values.at(block, kvHead) + slot * values.positionStride();
            int at = p - start;
            if (dtype == KvDtype.F16) {
                CacheReads.f16(keys.data(), keyAt, keys.dimStride(), op.headDim(), n, k, at, Attend.POSITIONS);
                CacheReads.f16(
                        values.data(), valueAt, values.positionStride(), n, op.headDim(), v, at * padded, padded);
            } else {
                CacheReads.f32(keys.data(), keyAt, keys.dimStride(), op.headDim(), n, k, at, Attend.POSITIONS);
                CacheReads.f32(
                        values.data(), valueAt, values.positionStride(), n, op.headDim(), v, at * padded, padded);
            }
            p += n;
        }
    }

    /**
     * Brings the segments of one token to a common maximum and adds them, head by head.
     *
     * @param position the token's, so that only segments up to it count
     * @param row the token's row in {@code partial}
     * @param segments that {@code partial} has room for, a row and head
     * @param out receives {@code [heads, headDim]} from {@code outAt} on
     */
    private void join(int position, int row, int segments, float[] partial, float[] out, int outAt, Scratch scratch) {
        int headDim = op.headDim();
        int visible = segments(position + 1);
        float[] total = scratch.row(padded);
        for (int head = 0; head < op.heads(); head++) {
            int first = (row * op.heads() + head) * segments * partialSize;
            float max = Float.NEGATIVE_INFINITY;
            for (int g = 0; g < visible; g++) {
                max = Math.max(max, partial[first + g * partialSize + MAX]);
            }
            Arrays.fill(total, 0, padded, 0f);
            float weight = 0;
            for (int g = 0; g < visible; g++) {
                int at = first + g * partialSize;
                float c = Numerics.exp(partial[at + MAX] - max);
                weight = Math.fma(c, partial[at + WEIGHT], weight);
                Attend.join(c, partial, at + VALUES, total, padded);
            }
            for (int d = 0; d < headDim; d++) {
                out[outAt + head * headDim + d] = total[d] / weight;
            }
        }
    }
}
