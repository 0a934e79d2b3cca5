package io.tutti.tornado.program;

import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Graph.Part;
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
import io.tutti.engine.graph.Weight.Vector;
import io.tutti.engine.host.kernel.Tile;
import io.tutti.tornado.program.FusedOp.HeadNorms;
import io.tutti.tornado.program.FusedOp.Linear;
import io.tutti.tornado.program.FusedOp.Plain;
import io.tutti.tornado.program.FusedOp.Rotation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;

/**
 * Finds the ops that one kernel can do together, none of which changes a bit: matrices over the same input, a matrix and
 * the residual that takes its output, norms of heads and rotations of neighbours.
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

    /** The ops of a part, fused. */
    List<FusedOp> fuse(Part part) {
        List<Op> ops = graph.ops(part);
        List<FusedOp> fused = new ArrayList<>();
        for (int i = 0; i < ops.size(); ) {
            FusedOp next = switch (ops.get(i)) {
                case MatMul first -> linear(first, part, i);
                case HeadNorm first -> norms(first, ops, i);
                case Rope first -> rotation(first, ops, i);
                case Embed _, RmsNorm _, WriteKv _, Attention _, SwiGlu _, Add _, SelectOutputs _ ->
                    new Plain(ops.get(i));
            };
            fused.add(next);
            i += next.ops();
        }
        return fused;
    }

    private Linear linear(MatMul first, Part part, int at) {
        List<Op> ops = graph.ops(part);
        List<MatMul> all = new ArrayList<>(List.of(first));
        boolean free = !placed.contains(first.out());
        for (int i = at + 1;
                i < ops.size()
                        && ops.get(i) instanceof MatMul next
                        && joins(next, all)
                        && (free
                                ? !placed.contains(next.out())
                                : next.out().equals(rightOf.get(all.getLast().out())));
                i++) {
            all.add(next);
        }
        List<Buffer> outs = all.stream().map(MatMul::out).toList();
        Optional<Buffer> residual = Optional.empty();
        if (all.size() > 1) {
            placed.addAll(outs);
            for (int i = 1; i < outs.size(); i++) {
                rightOf.put(outs.get(i - 1), outs.get(i));
            }
        } else if (at + 1 < ops.size()
                && ops.get(at + 1) instanceof Add add
                && add.y().equals(first.out())
                && !add.x().equals(first.out())
                && !add.x().equals(first.in())
                && !graph.isReadAfter(part, at + 1, first.out())) {
            residual = Optional.of(add.x());
        }
        return new Linear(
                first.in(),
                first.activations(),
                all.stream().map(MatMul::weight).toList(),
                all.stream().flatMap(m -> m.bias().stream()).toList(),
                outs,
                residual);
    }

    /** Tiles hold rows of one matrix, so only whole ones may have another's below them. */
    private boolean joins(MatMul next, List<MatMul> before) {
        MatMul first = before.getFirst();
        return next.in().equals(first.in())
                && next.activations() == first.activations()
                && next.bias().isPresent() == first.bias().isPresent()
                && before.stream().map(MatMul::out).noneMatch(out -> out.equals(next.in()) || out.equals(next.out()))
                && before.getLast().weight().rows() % Tile.ROWS == 0
                && alike.test(first.weight(), next.weight());
    }

    /** Buffers that a fused matrix has put side by side, as q and k, have their heads normalized as one with more heads. */
    private HeadNorms norms(HeadNorm first, List<Op> ops, int at) {
        List<Buffer> xs = new ArrayList<>(List.of(first.x()));
        List<Vector> scales = new ArrayList<>(Collections.nCopies(first.heads(), first.scale()));
        for (int i = at + 1;
                i < ops.size()
                        && ops.get(i) instanceof HeadNorm next
                        && next.eps() == first.eps()
                        && next.scale().length() == first.scale().length()
                        && next.x().equals(rightOf.get(xs.getLast()));
                i++) {
            xs.add(next.x());
            scales.addAll(Collections.nCopies(next.heads(), next.scale()));
        }
        return new HeadNorms(xs, scales, first.eps());
    }

    /** They are rotated as one, too. */
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
}
