package io.tutti.tornado.program;

import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Op;
import io.tutti.engine.layout.Tile;
import io.tutti.tornado.program.FusedOp.HeadNorms;
import io.tutti.tornado.program.FusedOp.Linear;
import io.tutti.tornado.program.FusedOp.Plain;
import io.tutti.tornado.program.FusedOp.Rotation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds what the OpenCL C kernel does in one launch beyond what {@link Fusion} has joined; none of it changes a bit. */
final class ClFusion {

    private final Graph graph;
    private final StepKind kind;

    ClFusion(Graph graph, StepKind kind) {
        this.graph = graph;
        this.kind = kind;
    }

    /** The launches for a layer of a section. */
    List<ClOp> fuse(Section section) {
        List<FusedOp> ops = section.ops();
        List<ClOp> fused = new ArrayList<>();
        for (int i = 0; i < ops.size(); ) {
            ClOp next = next(section, i);
            fused.add(next);
            i += opsIn(next);
        }
        return fused;
    }

    private static int opsIn(ClOp op) {
        return switch (op) {
            case ClOp.One _ -> 1;
            case ClOp.MatMul m -> 1 + count(m.norm()) + count(m.gate());
            case ClOp.Rotate r -> 1 + count(r.norms());
            case ClOp.Attend a ->
                1 + a.fresh().map(fresh -> 1 + opsIn(fresh.rotate())).orElse(0);
        };
    }

    private static int count(Optional<?> part) {
        return part.isPresent() ? 1 : 0;
    }

    private ClOp next(Section section, int at) {
        List<FusedOp> ops = section.ops();
        return switch (ops.get(at)) {
            case Plain(Op.RmsNorm norm)
            when kind == StepKind.SINGLE
                    && op(ops, at + 1) instanceof Linear linear
                    && linear.in().equals(norm.out())
                    && !linear.written().contains(norm.in())
                    && isLastReader(section, at + 1, norm.out()) ->
                new ClOp.MatMul(
                        linear,
                        Optional.of(norm),
                        gate(section, at + 1, linear).filter(gate -> !gate.out().equals(norm.in())));
            case Linear linear -> new ClOp.MatMul(linear, Optional.empty(), gate(section, at, linear));
            case HeadNorms norms
            when op(ops, at + 1) instanceof Rotation rotation
                    && rotation.xs().equals(norms.xs())
                    && rotation.heads() == norms.heads() ->
                turned(ops, at + 2, new ClOp.Rotate(rotation, Optional.of(norms)));
            case HeadNorms norms -> new ClOp.One(norms);
            case Rotation rotation -> turned(ops, at + 1, new ClOp.Rotate(rotation, Optional.empty()));
            case Plain(Op.Attention attention) -> new ClOp.Attend(attention, Optional.empty());
            case Plain plain -> new ClOp.One(plain);
        };
    }

    /** A rotation, with the ops from {@code after} on if they are attention over what it has turned. */
    private ClOp turned(List<FusedOp> ops, int after, ClOp.Rotate rotate) {
        return kind == StepKind.SINGLE
                        && op(ops, after) instanceof Plain(Op.WriteKv write)
                        && op(ops, after + 1) instanceof Plain(Op.Attention attention)
                        && rotate.rotation().xs().equals(List.of(attention.q(), write.k()))
                ? new ClOp.Attend(attention, Optional.of(new ClOp.Fresh(rotate, write)))
                : rotate;
    }

    private static FusedOp op(List<FusedOp> ops, int at) {
        return at < ops.size() ? ops.get(at) : null;
    }

    /** A gate's op whose inputs are the two outputs of the matrices before it, whole tiles each. */
    private Optional<Op.SwiGlu> gate(Section section, int at, Linear linear) {
        return op(section.ops(), at + 1) instanceof Plain(Op.SwiGlu gate)
                        && linear.outs().equals(List.of(gate.gate(), gate.up()))
                        && !gate.out().equals(linear.in())
                        && linear.weights().getFirst().rows() % Tile.ROWS == 0
                        && linear.weights().getFirst().rows()
                                == linear.weights().getLast().rows()
                        && linear.outs().stream()
                                .filter(out -> !out.equals(gate.out()))
                                .allMatch(out -> isLastReader(section, at + 1, out))
                ? Optional.of(gate)
                : Optional.empty();
    }

    /** Whether the op at {@code reader} is the last to read what is in a buffer then. */
    private boolean isLastReader(Section section, int reader, Buffer buffer) {
        int last = section.ops().subList(0, reader + 1).stream()
                        .mapToInt(FusedOp::ops)
                        .sum()
                - 1;
        return !graph.isReadAfter(section.part(), last, buffer);
    }
}
