package io.tutti.tornado.program;

import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Op;
import io.tutti.engine.host.kernel.Tile;
import io.tutti.tornado.program.FusedOp.Linear;
import io.tutti.tornado.program.FusedOp.Plain;
import io.tutti.tornado.program.FusedOp.Rotation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Finds what the OpenCL C kernel does in one launch beyond what {@link Fusion} has joined; none of it changes a bit. */
final class ClFusion {

    private final List<Section> sections;
    private final StepKind kind;
    /** Buffers that are read when the step is done. */
    private final Set<Buffer> results;

    ClFusion(List<Section> sections, StepKind kind, Set<Buffer> results) {
        this.sections = sections;
        this.kind = kind;
        this.results = results;
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
            case ClOp.One _, ClOp.Rotate _ -> 1;
            case ClOp.MatMul m -> 1 + (m.norm().isPresent() ? 1 : 0) + (m.gate().isPresent() ? 1 : 0);
            case ClOp.Attend a -> a.fresh().isPresent() ? 3 : 1;
        };
    }

    private ClOp next(Section section, int at) {
        List<FusedOp> ops = section.ops();
        return switch (ops.get(at)) {
            case Plain(Op.RmsNorm norm)
            when kind == StepKind.SINGLE
                    && op(ops, at + 1) instanceof Linear linear
                    && linear.in().equals(norm.out())
                    && isLastReader(section, at + 1, norm.out()) ->
                new ClOp.MatMul(linear, Optional.of(norm), gate(section, at + 1, linear));
            case Linear linear -> new ClOp.MatMul(linear, Optional.empty(), gate(section, at, linear));
            case Rotation rotation
            when kind == StepKind.SINGLE
                    && op(ops, at + 1) instanceof Plain(Op.WriteKv write)
                    && op(ops, at + 2) instanceof Plain(Op.Attention attention)
                    && rotation.xs().equals(List.of(attention.q(), write.k())) ->
                new ClOp.Attend(attention, Optional.of(new ClOp.Fresh(rotation, write)));
            case Rotation rotation -> new ClOp.Rotate(rotation);
            case Plain(Op.Attention attention) -> new ClOp.Attend(attention, Optional.empty());
            case Plain plain -> new ClOp.One(plain);
        };
    }

    private static FusedOp op(List<FusedOp> ops, int at) {
        return at < ops.size() ? ops.get(at) : null;
    }

    /** A gate's op whose inputs are the two outputs of the matrices before it, whole tiles each. */
    private Optional<Op.SwiGlu> gate(Section section, int at, Linear linear) {
        return op(section.ops(), at + 1) instanceof Plain(Op.SwiGlu gate)
                        && linear.outs().equals(List.of(gate.gate(), gate.up()))
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
        List<FusedOp> following =
                new ArrayList<>(section.ops().subList(reader + 1, section.ops().size()));
        if (section.layers() > 1) {
            following.addAll(section.ops());
        }
        sections.subList(sections.indexOf(section) + 1, sections.size())
                .forEach(later -> following.addAll(later.ops()));
        for (FusedOp op : following) {
            if (op.read().contains(buffer)) {
                return false;
            }
            if (op.written().contains(buffer)) {
                return true;
            }
        }
        return !results.contains(buffer);
    }
}
