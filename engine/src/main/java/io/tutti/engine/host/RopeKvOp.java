package io.tutti.engine.host;

import io.tutti.engine.graph.Op.HeadNorm;
import io.tutti.engine.graph.Op.Rope;
import io.tutti.engine.graph.Op.WriteKv;
import io.tutti.engine.host.kernel.Elementwise;
import io.tutti.engine.host.kernel.Rotate;
import io.tutti.engine.host.kernel.Squares;
import io.tutti.engine.numerics.Numerics;
import io.tutti.engine.numerics.RopeTable;
import java.util.List;
import java.util.Optional;

/**
 * Normalizes and rotates the heads of queries and keys, and writes keys and values to the cache, token by token: a token's
 * numbers are still in the first-level cache when they are stored.
 */
final class RopeKvOp implements HostOp {

    /** Heads to normalize, and the scale that all of them have, {@code [headDim]}. */
    record Norm(HeadNorm op, float[] scale) {}

    /** Heads to rotate, and by what. */
    record Rotation(Rope op, RopeTable table) {}

    /** Keys and values to write, and where to. */
    record Write(WriteKv op, LayerCache cache) {}

    /** Most tokens of a task. Neighbours in a block go together: their keys share cache lines. */
    private static final int MOST_TOKENS = 16;

    private final List<Norm> norms;
    private final List<Rotation> rotations;
    private final Optional<Write> write;
    private final float[][] normalized;
    private final float[][] rotated;

    RopeKvOp(List<Norm> norms, List<Rotation> rotations, Optional<Write> write) {
        this.norms = List.copyOf(norms);
        this.rotations = List.copyOf(rotations);
        this.write = write;
        normalized = new float[norms.size()][];
        rotated = new float[rotations.size()][];
    }

    @Override
    public void run(Step step) {
        for (int i = 0; i < normalized.length; i++) {
            normalized[i] = step.data(norms.get(i).op().x());
        }
        for (int i = 0; i < rotated.length; i++) {
            rotated[i] = step.data(rotations.get(i).op().x());
            rotations.get(i).table().extendTo(step.inputs().positionsEnd());
        }
        float[] keys = write.isPresent() ? step.data(write.get().op().k()) : null;
        float[] values = write.isPresent() ? step.data(write.get().op().v()) : null;
        step.workers().forEachRange(step.tokens(), MOST_TOKENS, (from, to, worker) -> {
            for (int t = from; t < to; t++) {
                normalize(t, step.scratch(worker));
                rotate(t, step.inputs().positions()[t]);
                if (write.isPresent()) {
                    write(t, step.inputs().slots()[t], keys, values, step.scratch(worker));
                }
            }
        });
    }

    private void normalize(int token, Scratch scratch) {
        for (int i = 0; i < normalized.length; i++) {
            HeadNorm op = norms.get(i).op();
            float[] x = normalized[i];
            float[] scale = norms.get(i).scale();
            int headDim = scale.length;
            int at = token * op.x().width();
            float[] sums = scratch.row(Squares.room(op.heads(), headDim));
            Squares.sum(x, at, op.heads(), headDim, sums);
            for (int h = 0; h < op.heads(); h++) {
                int head = at + h * headDim;
                Elementwise.scaleRow(x, head, Numerics.rmsFactor(sums[h], headDim, op.eps()), scale, x, head, headDim);
            }
        }
    }

    private void rotate(int token, int position) {
        for (int i = 0; i < rotated.length; i++) {
            Rope op = rotations.get(i).op();
            RopeTable table = rotations.get(i).table();
            int pairs = table.pairs();
            int row = position * pairs;
            Rotate.heads(rotated[i], token * op.x().width(), op.heads(), table.cos(), table.sin(), row, pairs);
        }
    }

    private void write(int token, int slot, float[] keys, float[] values, Scratch scratch) {
        WriteKv op = write.get().op();
        write.get()
                .cache()
                .write(keys, token * op.k().width(), values, token * op.v().width(), slot, scratch);
    }
}
