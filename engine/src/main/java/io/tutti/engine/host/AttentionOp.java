package io.tutti.engine.host;

import static io.tutti.engine.host.AttentionWork.MAX;
import static io.tutti.engine.host.AttentionWork.SUM;
import static io.tutti.engine.host.AttentionWork.VALUES;

import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Op.Attention;
import io.tutti.engine.host.kernel.Attend;
import io.tutti.engine.host.kernel.Elementwise;
import io.tutti.engine.host.kernel.Softmax;
import io.tutti.engine.numerics.Numerics;
import java.util.Arrays;

/**
 * Causal attention of one layer: {@link AttentionWork} divides it. Within an item keys and values are widened a chunk at a
 * time, for all query rows that see them, four rows at once.
 */
final class AttentionOp implements HostOp {

    /** Positions of a chunk: those of a head of 128 numbers fit into a first-level cache. */
    private static final int CHUNK = 64;

    /** Scores are computed so many positions at a time at most, and keys are read from a multiple of it on. */
    private static final int KEYS = 2 * Attend.COLUMN;

    private final Attention op;
    private final LayerCache cache;
    private final AttentionWork work;
    private final int headDim;
    private final int group;
    private final int padded;
    private final int partialSize;
    private final float scale;

    AttentionOp(Attention op, LayerCache cache, AttentionWork work) {
        this.op = op;
        this.cache = cache;
        this.work = work;
        headDim = op.headDim();
        group = op.heads() / op.kvHeads();
        padded = Attend.padded(headDim);
        partialSize = AttentionWork.partialSize(op);
        scale = Numerics.attentionScale(headDim);
    }

    @Override
    public void run(Step step) {
        StepInputs in = step.inputs();
        float[] q = step.data(op.q());
        float[] out = step.data(op.out());
        for (int token = 0; token < step.tokens(); ) {
            token = work.layOut(in, token, op, step.workers().count());
            step.workers().forEach(work.items(), (item, worker) -> item(in, q, out, item, step.scratch(worker)));
        }
    }

    private void item(StepInputs in, float[] q, float[] out, int item, Scratch scratch) {
        int tile = work.tileOf(item);
        int within = item - work.itemsBefore(tile);
        int kvHead = within % op.kvHeads();
        overSegment(in, q, tile, work.firstSegment(tile) + within / op.kvHeads(), kvHead, scratch);
        if (work.finishes(tile, kvHead, op.kvHeads())) {
            join(in.positions(), tile, kvHead, out, scratch);
        }
    }

    /** Where a row's partial result lies. */
    private int partialAt(int tile, int segment, int kvHead, int row) {
        int rows = (work.last(tile) - work.first(tile)) * group;
        int before = kvHead * work.segmentsOf(tile) + segment - work.firstSegment(tile);
        return work.partialsAt(tile) + (before * rows + row) * partialSize;
    }

    /** Of the segment that begins at {@code start}, the first place that a token at {@code position} sees. */
    private int from(int position, int start) {
        return Math.max(0, op.firstVisible(position) - start);
    }

    /** Of the segment that begins at {@code start}, the place behind the last one that a token at {@code position} sees. */
    private static int to(int position, int start) {
        return Math.min(Numerics.SEGMENT, position + 1 - start);
    }

    private void overSegment(StepInputs in, float[] q, int tile, int segment, int kvHead, Scratch scratch) {
        int start = segment * Numerics.SEGMENT;
        int[] positions = in.positions();
        int first = work.first(tile);
        int last = work.last(tile);
        while (positions[first] < start) {
            first++;
        }
        while (op.firstVisible(positions[last - 1]) >= start + Numerics.SEGMENT) {
            last--;
        }
        int rows = (last - first) * group;
        int begin = from(positions[first], start);
        int end = to(positions[last - 1], start);
        int table = in.tableStarts()[work.sequence(tile)];

        float[] queries = scratch.row(rows * headDim);
        for (int t = first; t < last; t++) {
            Elementwise.scale(
                    q,
                    (t * op.heads() + kvHead * group) * headDim,
                    scale,
                    queries,
                    (t - first) * group * headDim,
                    group * headDim);
        }

        float[] z = scratch.totals(rows * Attend.POSITIONS);
        Arrays.fill(z, 0, rows * Attend.POSITIONS, 0f);
        float[] chunk = scratch.keys(CHUNK * headDim);
        for (int from = begin / KEYS * KEYS; from < end; from += CHUNK) {
            int to = Math.min(end, from + CHUNK);
            cache.readKeys(in.blockTables(), table, kvHead, start + from, start + to, chunk, scratch);
            for (int r = 0; r < rows; r += 4) {
                int r3 = Math.min(r + 3, rows - 1);
                int n = Math.min(to, to(positions[first + r3 / group], start)) - from;
                for (int d = 0; d < headDim && n > 0; d += Numerics.SEGMENT) {
                    Attend.scores(
                            queries,
                            headDim,
                            r,
                            Math.min(r + 1, r3),
                            Math.min(r + 2, r3),
                            r3,
                            d,
                            Math.min(headDim, d + Numerics.SEGMENT),
                            chunk,
                            n,
                            z,
                            from);
                }
            }
        }

        float[] partial = work.partials();
        int at = partialAt(tile, segment, kvHead, (first - work.first(tile)) * group);
        for (int r = 0; r < rows; r += 4) {
            int r3 = Math.min(r + 3, rows - 1);
            int r1 = Math.min(r + 1, r3);
            int r2 = Math.min(r + 2, r3);
            int from = from(positions[first + r / group], start) / KEYS * KEYS; // none of the four sees one before it
            for (int i = r; i <= r3; i++) {
                int position = positions[first + i / group];
                int to = at + i * partialSize;
                int row = i * Attend.POSITIONS;
                Arrays.fill(z, row + from, row + from(position, start), Float.NEGATIVE_INFINITY); // of weight zero
                partial[to + MAX] = Softmax.weights(z, row + from, to(position, start) - from);
                Arrays.fill(partial, to + VALUES, to + VALUES + padded, 0f);
            }
            Softmax.sums(
                    z,
                    r * Attend.POSITIONS + from,
                    r1 * Attend.POSITIONS + from,
                    r2 * Attend.POSITIONS + from,
                    r3 * Attend.POSITIONS + from,
                    to(positions[first + r / group], start) - from,
                    to(positions[first + r1 / group], start) - from,
                    to(positions[first + r2 / group], start) - from,
                    to(positions[first + r3 / group], start) - from,
                    partial,
                    at + r * partialSize + SUM,
                    at + r1 * partialSize + SUM,
                    at + r2 * partialSize + SUM,
                    at + r3 * partialSize + SUM);
        }

        chunk = scratch.values(CHUNK * headDim + padded);
        for (int from = begin; from < end; from += CHUNK) {
            int to = Math.min(end, from + CHUNK);
            cache.readValues(in.blockTables(), table, kvHead, start + from, start + to, chunk, scratch);
            for (int r = 0; r < rows; r += 4) {
                int r3 = Math.min(r + 3, rows - 1);
                int r1 = Math.min(r + 1, r3);
                int r2 = Math.min(r + 2, r3);
                // What all four see, and what one or the other sees before and behind it.
                int common = Math.max(from, from(positions[first + r3 / group], start)) - from;
                int behind = Math.max(common, Math.min(to, to(positions[first + r / group], start)) - from);
                for (int i = r; i < r3; i++) {
                    int position = positions[first + i / group];
                    int n = Math.min(common, Math.min(to, to(position, start)) - from);
                    values(z, from, i, i, i, i, Math.max(0, from(position, start) - from), n, chunk, partial, at);
                }
                values(z, from, r, r1, r2, r3, common, behind, chunk, partial, at);
                for (int i = r1; i <= r3; i++) {
                    int n = Math.min(to, to(positions[first + i / group], start)) - from;
                    values(z, from, i, i, i, i, behind, n, chunk, partial, at);
                }
            }
        }
    }

    private void values(
            float[] p, int pAt, int r0, int r1, int r2, int r3, int from, int to, float[] chunk, float[] out, int at) {
        if (from < to) {
            Attend.values(
                    p,
                    pAt,
                    r0,
                    r1,
                    r2,
                    r3,
                    from,
                    to,
                    chunk,
                    headDim,
                    padded,
                    out,
                    at + r0 * partialSize + VALUES,
                    at + r1 * partialSize + VALUES,
                    at + r2 * partialSize + VALUES,
                    at + r3 * partialSize + VALUES);
        }
    }

    /** Brings the segments of a tile's rows to a common maximum each and adds them. */
    private void join(int[] positions, int tile, int kvHead, float[] out, Scratch scratch) {
        float[] partial = work.partials();
        int rows = (work.last(tile) - work.first(tile)) * group;
        int stride = rows * partialSize;
        float[] total = scratch.row(padded);
        for (int row = 0; row < rows; row++) {
            int token = work.first(tile) + row / group;
            int first = partialAt(tile, AttentionWork.segmentOf(op.firstVisible(positions[token])), kvHead, row);
            int end = partialAt(tile, AttentionWork.segmentOf(positions[token]) + 1, kvHead, row);
            float max = Float.NEGATIVE_INFINITY;
            for (int at = first; at < end; at += stride) {
                max = Math.max(max, partial[at + MAX]);
            }
            Arrays.fill(total, 0, padded, 0f);
            float weight = 0;
            for (int at = first; at < end; at += stride) {
                float c = Numerics.exp(partial[at + MAX] - max);
                weight = Math.fma(c, partial[at + SUM], weight);
                Attend.join(c, partial, at + VALUES, total, padded);
            }
            Elementwise.divide(
                    total, weight, out, (token * op.heads() + kvHead * group + row % group) * headDim, headDim);
        }
    }
}
