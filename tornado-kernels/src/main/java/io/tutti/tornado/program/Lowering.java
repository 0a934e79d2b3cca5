package io.tutti.tornado.program;

import io.tutti.engine.graph.Activations;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Op;
import io.tutti.engine.graph.Rows;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.tornado.kernel.Elementwise;
import io.tutti.tornado.kernel.Embed;
import io.tutti.tornado.kernel.MatMulInt8;
import io.tutti.tornado.kernel.MatMulLanes;
import io.tutti.tornado.kernel.MatMulTiles;
import io.tutti.tornado.kernel.QuantizeRows;
import io.tutti.tornado.kernel.RmsNorm;
import io.tutti.tornado.kernel.StepLayout;
import io.tutti.tornado.program.FusedOp.HeadNorms;
import io.tutti.tornado.program.FusedOp.Linear;
import io.tutti.tornado.program.FusedOp.Plain;
import io.tutti.tornado.program.FusedOp.Rotation;
import java.util.ArrayList;
import java.util.List;
import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/** Turns the ops of sections into launches of kernels. */
final class Lowering {

    private final Workspace workspace;
    private final Mapping mapping;
    private final ValuesLayout layout;
    private final DeviceWeights weights;
    private final DeviceVectors vectors;
    private final AttentionLowering attention;
    private final KernelContext context;
    private final IntArray step;
    private final IntArray layer;
    private final IntArray launches;
    private final FloatArray values;
    private final FloatArray tables;

    Lowering(Workspace workspace, Mapping mapping, ValuesLayout layout, DeviceWeights weights, DeviceVectors vectors) {
        this.workspace = workspace;
        this.mapping = mapping;
        this.layout = layout;
        this.weights = weights;
        this.vectors = vectors;
        attention = new AttentionLowering(workspace, layout);
        context = workspace.context();
        step = workspace.step();
        layer = workspace.layer();
        launches = workspace.launches();
        values = workspace.values();
        tables = workspace.tables();
    }

    /** The launches of a section's ops, in order. */
    List<Launch> launches(Section section) {
        List<Launch> list = new ArrayList<>();
        for (FusedOp op : section.ops()) {
            switch (op) {
                case Linear linear -> {
                    if (linear.activations() == Activations.INT8
                            && weights.matrix(section, linear) instanceof DeviceMatrix.Int4 matrix) {
                        list.add(quantize(linear));
                        list.add(matMulInt8(section, linear, matrix));
                    } else {
                        list.add(matMul(section, linear));
                    }
                }
                case HeadNorms norms -> list.add(headNorms(section, norms));
                case Rotation rotation -> list.add(attention.rotate(rotation));
                case Plain(Op.Embed embed) -> list.add(embed(section, embed));
                case Plain(Op.RmsNorm norm) -> list.add(rmsNorm(section, norm));
                case Plain(Op.WriteKv write) -> list.add(attention.writeKv(section, write));
                case Plain(Op.Attention attend) -> {
                    list.add(attention.attend(section, attend));
                    list.add(attention.combine(attend));
                }
                case Plain(Op.SwiGlu swiGlu) -> list.add(swiGlu(swiGlu));
                case Plain(Op.Add add) -> list.add(add(add));
                case Plain(Op.SelectOutputs select) -> list.add(selectOutputs(select));
                case Plain(Op.MatMul _), Plain(Op.HeadNorm _), Plain(Op.Rope _) ->
                    throw new IllegalStateException(op.name() + " is no plain op");
            }
        }
        return list;
    }

    private Launch matMul(Section section, Linear op) {
        int task = workspace.nextTask();
        String name = Launch.name(op.name(), task);
        MatMulTask matMul = new MatMulTask(
                name,
                context,
                step,
                layer,
                launches,
                values,
                tables,
                op.cols(),
                op.rows(),
                count(op.in()),
                layout.of(op.in()),
                layout.of(op.written().getFirst()),
                vectors.at(section, op),
                op.residual().isPresent() ? 1 : 0,
                task);
        DeviceMatrix matrix = weights.matrix(section, op);
        List<TornadoNativeArray> inputs = inputs(matrix);
        inputs.add(layer);
        return new Launch(
                name,
                task,
                graph -> mapping == Mapping.TILES ? matMul.addTiles(graph, matrix) : matMul.addLanes(graph, matrix),
                shape -> {
                    int rows = rows(shape, op.in());
                    return mapping == Mapping.TILES
                            ? MatMulTiles.grid(rows, op.rows())
                            : MatMulLanes.grid(rows, op.rows());
                },
                inputs);
    }

    private Launch quantize(Linear op) {
        int task = workspace.nextTask();
        String name = Launch.name("Quantize" + op.in().name(), task);
        View in = layout.of(op.in());
        int to = layout.quantized();
        return new Launch(
                name,
                task,
                graph -> graph.task(
                        name,
                        QuantizeRows::rows,
                        context,
                        step,
                        launches,
                        values,
                        tables,
                        count(op.in()),
                        op.cols(),
                        in.at(),
                        in.stride(),
                        to,
                        task),
                shape -> QuantizeRows.grid(rows(shape, op.in()), op.cols()),
                List.of(tables));
    }

    private Launch matMulInt8(Section section, Linear op, DeviceMatrix.Int4 matrix) {
        int task = workspace.nextTask();
        String name = Launch.name(op.name(), task);
        View out = layout.of(op.written().getFirst());
        int from = layout.quantized();
        int group = matrix.group();
        int biasAt = vectors.at(section, op);
        int add = op.residual().isPresent() ? 1 : 0;
        List<TornadoNativeArray> inputs = inputs(matrix);
        inputs.add(layer);
        return new Launch(
                name,
                task,
                graph -> graph.task(
                        name,
                        MatMulInt8::nibbles,
                        context,
                        step,
                        layer,
                        launches,
                        values,
                        matrix.tiles(),
                        matrix.scales(),
                        tables,
                        group,
                        op.cols(),
                        op.rows(),
                        count(op.in()),
                        from,
                        out.at(),
                        out.stride(),
                        biasAt,
                        add,
                        task),
                shape -> MatMulInt8.grid(rows(shape, op.in()), op.rows()),
                inputs);
    }

    private Launch embed(Section section, Op.Embed op) {
        int task = workspace.nextTask();
        String name = Launch.name("Embed", task);
        View out = layout.of(op.out());
        int width = out.width();
        int most = workspace.maxTokens();
        DeviceMatrix matrix = weights.matrix(section, op);
        return new Launch(
                name,
                task,
                graph -> switch (matrix) {
                    case DeviceMatrix.F32(FloatArray table) ->
                        graph.task(
                                name,
                                Embed::f32,
                                context,
                                step,
                                launches,
                                values,
                                table,
                                most,
                                width,
                                out.at(),
                                out.stride(),
                                task);
                    case DeviceMatrix.Half(IntArray table, Dtype dtype) ->
                        graph.task(
                                name,
                                Embed::halves,
                                context,
                                step,
                                launches,
                                values,
                                table,
                                tables,
                                MatMulTask.format(dtype),
                                most,
                                width,
                                out.at(),
                                out.stride(),
                                task);
                    case DeviceMatrix.Int4 _ -> throw new IllegalStateException("no embedding is int4");
                },
                shape -> Embed.grid(Math.max(1, shape.tokens()), width),
                inputs(matrix));
    }

    private Launch rmsNorm(Section section, Op.RmsNorm op) {
        return norm(
                "RmsNorm",
                op.in(),
                op.out(),
                vectors.at(section, new Plain(op)),
                op.eps(),
                1,
                op.in().width());
    }

    private Launch headNorms(Section section, HeadNorms op) {
        Buffer x = op.xs().getFirst();
        return norm(op.name(), x, x, vectors.at(section, op), op.eps(), op.heads(), op.headDim());
    }

    private Launch norm(String what, Buffer from, Buffer to, int scalesAt, float eps, int heads, int width) {
        int task = workspace.nextTask();
        String name = Launch.name(what, task);
        View in = layout.of(from);
        View out = layout.of(to);
        return new Launch(
                name,
                task,
                graph -> graph.task(
                        name,
                        RmsNorm::rows,
                        context,
                        step,
                        layer,
                        launches,
                        values,
                        scalesAt,
                        eps,
                        count(from),
                        heads,
                        width,
                        in.at(),
                        in.stride(),
                        out.at(),
                        out.stride(),
                        task),
                shape -> RmsNorm.grid(rows(shape, from), heads),
                List.of(layer));
    }

    private Launch swiGlu(Op.SwiGlu op) {
        int task = workspace.nextTask();
        String name = Launch.name("SwiGlu", task);
        View gate = layout.of(op.gate());
        View up = layout.of(op.up());
        View out = layout.of(op.out());
        return new Launch(
                name,
                task,
                graph -> graph.task(
                        name,
                        Elementwise::swiGlu,
                        context,
                        step,
                        launches,
                        values,
                        tables,
                        count(op.out()),
                        out.width(),
                        gate.at(),
                        gate.stride(),
                        up.at(),
                        up.stride(),
                        out.at(),
                        out.stride(),
                        task),
                shape -> Elementwise.grid(rows(shape, op.out()), out.width()),
                List.of(tables));
    }

    private Launch add(Op.Add op) {
        int task = workspace.nextTask();
        String name = Launch.name("Add", task);
        View x = layout.of(op.x());
        View y = layout.of(op.y());
        return new Launch(
                name,
                task,
                graph -> graph.task(
                        name,
                        Elementwise::add,
                        context,
                        step,
                        launches,
                        values,
                        count(op.x()),
                        x.width(),
                        x.at(),
                        x.stride(),
                        y.at(),
                        y.stride(),
                        task),
                shape -> Elementwise.grid(rows(shape, op.x()), x.width()),
                List.of());
    }

    private Launch selectOutputs(Op.SelectOutputs op) {
        int task = workspace.nextTask();
        String name = Launch.name("SelectOutputs", task);
        View in = layout.of(op.in());
        View out = layout.of(op.out());
        return new Launch(
                name,
                task,
                graph -> graph.task(
                        name,
                        Elementwise::selectOutputs,
                        context,
                        step,
                        launches,
                        values,
                        workspace.maxTokens(),
                        in.width(),
                        in.at(),
                        in.stride(),
                        out.at(),
                        out.stride(),
                        task),
                shape -> Elementwise.grid(Math.max(1, shape.outputs()), out.width()),
                List.of());
    }

    /** A matrix's arrays, and what its kernels widen them by. */
    private List<TornadoNativeArray> inputs(DeviceMatrix matrix) {
        List<TornadoNativeArray> inputs = new ArrayList<>(matrix.arrays());
        if (!(matrix instanceof DeviceMatrix.F32)) {
            inputs.add(tables);
        }
        return inputs;
    }

    /** Which of a step's counts tells how many rows a buffer has. */
    private static int count(Buffer buffer) {
        return buffer.rows() == Rows.TOKENS ? StepLayout.TOKENS : StepLayout.OUTPUTS;
    }

    /** Rows of a launch; one at least, for a launch without work-items would not be counted. */
    private static int rows(StepShape shape, Buffer buffer) {
        return Math.max(1, shape.rows(buffer.rows()));
    }
}
