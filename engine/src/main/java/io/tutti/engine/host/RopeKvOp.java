package io.tutti.engine.host;

import io.tutti.engine.graph.Op.Rope;
import io.tutti.engine.graph.Op.WriteKv;
import io.tutti.engine.host.kernel.Rotate;
import io.tutti.engine.reference.RopeTable;
import java.util.List;
import java.util.Optional;

/**
 * Rotates queries and keys, and writes keys and values to the cache, token by token: a token's numbers are still in the
 * first-level cache when they are stored.
 */
final class RopeKvOp implements HostOp {

    /** Heads to rotate, and by what. */
    record Rotation(Rope op, RopeTable table) {}

    /** Keys and values to write, and where to. */
    record Write(WriteKv op, LayerCache cache) {}

    /** Most tokens of a task. Neighbours in a block go together: their keys share cache lines. */
    private static final int MOST_TOKENS = 16;

    private final List<Rotation> rotations;
    private final Optional<Write> write;
    private final float[][] rotated;

    RopeKvOp(List<Rotation> rotations, Optional<Write> write) {
        this.rotations = List.copyOf(rotations);
        this.write = write;
        rotated = new float[rotations.size()][];
    }

    @Override
    public void run(Step step) {
        for (int i = 0; i < rotated.length; i++) {
            rotated[i] = step.data(rotations.get(i).op().x());
            rotations.get(i).table().extendTo(step.inputs().positionsEnd());
        }
        float[] keys = write.isPresent() ? step.data(write.get().op().k()) : null;
        float[] values = write.isPresent() ? step.data(write.get().op().v()) : null;
        step.workers().forEachRange(step.tokens(), MOST_TOKENS, (from, to, worker) -> {
            for (int t = from; t < to; t++) {
                rotate(t, step.inputs().positions()[t]);
                if (write.isPresent()) {
                    write(t, step.inputs().slots()[t], keys, values, step.scratch(worker));
                }
            }
        });
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
