package io.tutti.tornado.program;

import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Op;
import io.tutti.engine.graph.Op.Add;
import io.tutti.engine.graph.Op.Attention;
import io.tutti.engine.graph.Op.Embed;
import io.tutti.engine.graph.Op.HeadNorm;
import io.tutti.engine.graph.Op.MatMul;
import io.tutti.engine.graph.Op.RmsNorm;
import io.tutti.engine.graph.Op.Rope;
import io.tutti.engine.graph.Op.SelectOutputs;
import io.tutti.engine.graph.Op.SwiGlu;
import io.tutti.engine.graph.Op.WriteKv;
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.engine.host.kernel.Tile;
import io.tutti.tornado.program.FusedOp.Linear;
import io.tutti.tornado.program.FusedOp.Plain;
import io.tutti.tornado.program.FusedOp.Rotation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;

/**
 * Finds the ops that one kernel can do together, none of which changes a bit: matrices over the same input, a matrix and
 * the residual that takes its output, rotations of neighbours.
 */
final class Fusion {

    private final Graph graph;
    /** Whether two matrices are stored alike in every layer. */
    private final BiPredicate<Matrix, Matrix> alike;
    /** For a buffer that a fused matrix writes, the one that lies right of it. */
    private final Map<Buffer, Buffer> rightOf = new HashMap<>();
    /** Buffers that have a place beside others; a buffer has one place. */
    private final Set<Buffer> placed = new HashSet<>();

    Fusion(Graph graph, BiPredicate<Matrix, Matrix> alike) {
        this.graph = graph;
        this.alike = alike;
    }

    /**
     * The ops of one of the graph's three parts, fused.
     *
     * @param after the ops that may run after them, in order
     */
    List<FusedOp> fuse(List<Op> ops, List<Op> after) {
        List<FusedOp> fused = new ArrayList<>();
        for (int i = 0; i < ops.size(); ) {
            FusedOp next = switch (ops.get(i)) {
                case MatMul first -> linear(first, ops, i, after);
                case Rope first -> rotation(first, ops, i);
                case Embed _, RmsNorm _, HeadNorm _, WriteKv _, Attention _, SwiGlu _, Add _, SelectOutputs _ ->
                    new Plain(ops.get(i));
            };
            fused.add(next);
            i += opsIn(next);
        }
        return fused;
    }

    private static int opsIn(FusedOp fused) {
        return switch (fused) {
            case Plain _ -> 1;
            case Linear l -> l.weights().size() + (l.residual().isPresent() ? 1 : 0);
            case Rotation r -> r.xs().size();
        };
    }

    private Linear linear(MatMul first, List<Op> ops, int at, List<Op> after) {
        List<Matrix> weights = new ArrayList<>(List.of(first.weight()));
        List<Buffer> outs = new ArrayList<>(List.of(first.out()));
        if (!placed.contains(first.out())) {
            for (int i = at + 1;
                    i < ops.size() && ops.get(i) instanceof MatMul next && joins(next, first, weights, outs);
                    i++) {
                weights.add(next.weight());
                outs.add(next.out());
            }
        }
        if (outs.size() > 1) {
            placed.addAll(outs);
            for (int i = 1; i < outs.size(); i++) {
                rightOf.put(outs.get(i - 1), outs.get(i));
            }
        } else if (at + 1 < ops.size()
                && ops.get(at + 1) instanceof Add add
                && add.y().equals(first.out())
                && !add.x().equals(first.in())
                && !isReadAfter(ops, at + 1, after, first.out())) {
            return new Linear(first.in(), first.activations(), weights, outs, Optional.of(add.x()));
        }
        return new Linear(first.in(), first.activations(), weights, outs, Optional.empty());
    }

    /** Tiles hold rows of one matrix, so only whole ones may have another's below them. */
    private boolean joins(MatMul next, MatMul first, List<Matrix> weights, List<Buffer> outs) {
        return next.in().equals(first.in())
                && next.activations() == first.activations()
                && !outs.contains(next.in())
                && !outs.contains(next.out())
                && !placed.contains(next.out())
                && weights.getLast().rows() % Tile.ROWS == 0
                && alike.test(first.weight(), next.weight());
    }

    /** Buffers that a fused matrix has put side by side, as q and k, are rotated as one with more heads. */
    private Rotation rotation(Rope first, List<Op> ops, int at) {
        List<Buffer> xs = new ArrayList<>(List.of(first.x()));
        int heads = first.heads();
        for (int i = at + 1;
                i < ops.size()
                        && ops.get(i) instanceof Rope next
                        && next.rope().equals(first.rope())
                        && next.x().equals(rightOf.get(xs.getLast()));
                i++) {
            xs.add(next.x());
            heads += next.heads();
        }
        return new Rotation(xs, heads, first.rope());
    }

    /** Whether what {@code ops.get(at)} leaves in {@code buffer} is read before it is overwritten, or is a result. */
    private boolean isReadAfter(List<Op> ops, int at, List<Op> after, Buffer buffer) {
        List<Op> following = new ArrayList<>(ops.subList(at + 1, ops.size()));
        following.addAll(after);
        return graph.isRead(buffer, following);
    }
}
