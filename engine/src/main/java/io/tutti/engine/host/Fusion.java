package io.tutti.engine.host;

import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Graph.Part;
import io.tutti.engine.graph.Op;
import io.tutti.engine.graph.Op.Add;
import io.tutti.engine.graph.Op.HeadNorm;
import io.tutti.engine.graph.Op.MatMul;
import io.tutti.engine.graph.Op.Rope;
import io.tutti.engine.graph.Op.SwiGlu;
import io.tutti.engine.graph.Op.WriteKv;
import io.tutti.engine.host.FusedOp.Linear;
import io.tutti.engine.host.FusedOp.Plain;
import io.tutti.engine.host.FusedOp.Product;
import io.tutti.engine.host.FusedOp.Product.AddTo;
import io.tutti.engine.host.FusedOp.Product.Gate;
import io.tutti.engine.host.FusedOp.Product.Store;
import io.tutti.engine.host.FusedOp.RopeKv;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds linear layers over the same input, and the op after them that takes their products element by element; and what is
 * done to queries and keys before attention. Together they are one hand-over to the workers instead of several, and what
 * lies between them never leaves the first-level cache.
 */
final class Fusion {

    private final Graph graph;

    Fusion(Graph graph) {
        this.graph = graph;
    }

    /** The ops of a part, fused. */
    List<FusedOp> fuse(Part part) {
        List<Op> ops = graph.ops(part);
        List<FusedOp> fused = new ArrayList<>();
        for (int i = 0; i < ops.size(); ) {
            List<MatMul> linears = linears(ops, i);
            if (linears.isEmpty()) {
                FusedOp next = notLinear(ops.subList(i, ops.size()));
                i += next instanceof RopeKv r ? r.ops() : 1;
                fused.add(next);
                continue;
            }
            i += linears.size();
            Optional<Product> finished = i == ops.size() ? Optional.empty() : finished(linears, part, i);
            if (finished.isPresent()) {
                i++;
            }
            List<Product> products = finished.map(List::of)
                    .orElseGet(() -> linears.stream().<Product>map(Store::new).toList());
            MatMul first = linears.getFirst();
            fused.add(new Linear(first.in(), first.activations(), products));
        }
        return fused;
    }

    /** The first op, or the norms of heads, the ropes and the write to the cache at the start of {@code ops}. */
    private static FusedOp notLinear(List<Op> ops) {
        List<HeadNorm> norms = new ArrayList<>();
        List<Rope> ropes = new ArrayList<>();
        for (Op op : ops) {
            switch (op) {
                case HeadNorm norm when ropes.isEmpty() -> norms.add(norm);
                case Rope rope -> ropes.add(rope);
                case WriteKv write -> {
                    return new RopeKv(norms, ropes, Optional.of(write));
                }
                default -> {
                    return norms.isEmpty() && ropes.isEmpty()
                            ? new Plain(op)
                            : new RopeKv(norms, ropes, Optional.empty());
                }
            }
        }
        return new RopeKv(norms, ropes, Optional.empty());
    }

    /** The linear layers from {@code ops.get(at)} on that read the same input, and none of each other's outputs. */
    private static List<MatMul> linears(List<Op> ops, int at) {
        List<MatMul> linears = new ArrayList<>();
        for (int i = at; i < ops.size() && ops.get(i) instanceof MatMul next; i++) {
            boolean joins = linears.stream()
                    .allMatch(m -> m.in().equals(next.in())
                            && m.activations() == next.activations()
                            && !m.out().equals(next.in())
                            && !m.out().equals(next.out()));
            if (!joins) {
                break;
            }
            linears.add(next);
        }
        return linears;
    }

    /** The products, taken up by the part's op at {@code at}, if that is all that becomes of them. */
    private Optional<Product> finished(List<MatMul> linears, Part part, int at) {
        MatMul first = linears.getFirst();
        MatMul last = linears.getLast();
        return switch (graph.ops(part).get(at)) {
            case Add add
            when linears.size() == 1
                    && add.y().equals(first.out())
                    && !add.x().equals(first.out())
                    && !add.x().equals(first.in())
                    && !graph.isReadAfter(part, at, first.out()) -> Optional.of(new AddTo(first, add.x()));
            case SwiGlu glu
            when linears.size() == 2
                    && glu.gate().equals(first.out())
                    && glu.up().equals(last.out())
                    && !glu.out().equals(first.in())
                    && (glu.out().equals(glu.gate()) || !graph.isReadAfter(part, at, glu.gate()))
                    && (glu.out().equals(glu.up()) || !graph.isReadAfter(part, at, glu.up())) ->
                Optional.of(new Gate(first, last, glu.out()));
            default -> Optional.empty();
        };
    }
}
