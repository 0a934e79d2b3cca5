package io.tutti.tornado.program;

import io.tutti.engine.graph.Activations;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Op;
import io.tutti.engine.graph.Rows;
import io.tutti.engine.numerics.Numerics;
import io.tutti.kv.KvConfig;
import io.tutti.kv.KvDtype;
import io.tutti.kv.KvPart;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.tornado.kernel.ClKernel;
import io.tutti.tornado.kernel.ClSource;
import io.tutti.tornado.kernel.Grid;
import io.tutti.tornado.kernel.OpTable;
import io.tutti.tornado.kernel.StepLayout;
import io.tutti.tornado.program.FusedOp.HeadNorms;
import io.tutti.tornado.program.FusedOp.Linear;
import io.tutti.tornado.program.FusedOp.Plain;
import io.tutti.tornado.program.FusedOp.Rotation;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import uk.ac.manchester.tornado.api.AccessorParameters;
import uk.ac.manchester.tornado.api.common.Access;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/** Turns ops into launches of the OpenCL C kernel: a row of the table of ops, and arrays. */
final class ClLowering {

    /** Tiles of a matrix: rows of each. */
    private static final int TILE = 32;

    /** Work-items for each of the device's units: enough for units that run late to take fewer. */
    private static final int ITEMS_A_UNIT = 8;

    /** Tokens of a work-item of a product in a step of any kind: a multiple of those that share a reading of the weights. */
    private static final int TOKENS = 48;

    private final Workspace workspace;
    private final ValuesLayout layout;
    private final DeviceWeights weights;
    private final DeviceVectors vectors;
    private final int units;
    private final OpTable table;
    private final Set<ClArrays> used = new LinkedHashSet<>();

    /** @param units the device's compute units */
    ClLowering(Workspace workspace, ValuesLayout layout, DeviceWeights weights, DeviceVectors vectors, int units) {
        this.workspace = workspace;
        this.layout = layout;
        this.weights = weights;
        this.vectors = vectors;
        this.units = units;
        table = new OpTable(Workspace.MOST_TASKS);
        used.add(ClArrays.NONE);
    }

    /**
     * Numbers that a product's work-items need to normalize and quantize rows to, each its own.
     *
     * @param quantizedStride numbers of the widest row in int8
     */
    static long scratch(List<FusedOp> ops, int units, int quantizedStride) {
        int widest = ops.stream()
                .mapToInt(op -> op instanceof Linear linear ? linear.cols() : 0)
                .max()
                .orElse(0);
        return (long) units * ITEMS_A_UNIT * StepKind.MOST_SINGLES * (widest + quantizedStride);
    }

    /** Launches that do nothing, but have TornadoVM upload all arrays of the launches made so far. */
    List<Launch> uploads() {
        List<Launch> uploads = new ArrayList<>();
        Set<ClArrays> distinct = new LinkedHashSet<>();
        // Angles go up with each step.
        used.forEach(arrays -> distinct.add(arrays.withAngles(null)));
        for (ClArrays arrays : distinct) {
            uploads.add(launch("Upload", ClKernel.nothing(), arrays, shape -> rowGrid(1)));
        }
        return uploads;
    }

    /**
     * The launches for an op.
     *
     * @param l the layer's number within the section
     * @param kind of the steps that they are for
     */
    List<Launch> launches(Section section, int l, ClOp op, StepKind kind) {
        return kind == StepKind.ANY
                        && op instanceof ClOp.MatMul matMul
                        && weights.matrix(section, matMul.linear()) instanceof DeviceMatrix.Int4 int4
                        && matMul.linear().activations() == Activations.INT8
                ? List.of(quantize(matMul.linear(), int4.group()), launch(section, l, op, kind))
                : List.of(launch(section, l, op, kind));
    }

    private Launch launch(Section section, int l, ClOp op, StepKind kind) {
        return switch (op) {
            case ClOp.MatMul matMul -> matMul(section, l, matMul, kind);
            case ClOp.Rotate rotate -> rotate(section, l, rotate);
            case ClOp.Attend attend -> attend(section, l, attend);
            case ClOp.One(Plain(Op.Embed embed)) -> embed(section, embed);
            case ClOp.One(Plain(Op.RmsNorm norm)) -> rmsNorm(section, l, norm);
            case ClOp.One(HeadNorms norms) -> headNorms(section, l, norms);
            case ClOp.One(Plain(Op.WriteKv write)) -> writeKv(section, l, write);
            case ClOp.One(Plain(Op.SwiGlu swiGlu)) -> swiGlu(swiGlu);
            case ClOp.One(Plain(Op.Add add)) -> add(add);
            case ClOp.One(Plain(Op.SelectOutputs select)) -> selectOutputs(select);
            case ClOp.One(FusedOp other) -> throw new IllegalStateException(other.name() + " is no plain op");
        };
    }

    private Launch quantize(Linear op, int group) {
        View in = layout.of(op.in());
        int[] row = ClKernel.quantize(count(op.in()), op.cols(), group, in.at(), in.stride(), layout.quantized());
        return launch("Quantize" + op.in().name(), row, ClArrays.NONE, shape -> rowGrid(rows(shape, op.in())));
    }

    private Launch matMul(Section section, int l, ClOp.MatMul op, StepKind kind) {
        Linear linear = op.linear();
        DeviceMatrix matrix = weights.matrix(section, linear);
        boolean int8 = matrix instanceof DeviceMatrix.Int4 && linear.activations() == Activations.INT8;
        boolean single = kind == StepKind.SINGLE;
        int tiles = Math.ceilDiv(linear.rows(), TILE) / (op.gate().isPresent() ? 2 : 1);
        int tilesEach = Math.ceilDiv(tiles, units * ITEMS_A_UNIT);
        int tokensEach = single ? StepKind.MOST_SINGLES : TOKENS;
        Buffer in = op.norm().map(Op.RmsNorm::in).orElse(linear.in());
        Buffer out = op.gate().map(Op.SwiGlu::out).orElse(linear.written().getFirst());
        View from = int8 && !single
                ? new View(layout.quantized(), ClKernel.quantizedStride(linear.cols(), group(matrix)), 0)
                : layout.of(in);
        View to = layout.of(out);
        int[] product = ClKernel.matMul(
                int8 ? ClKernel.INT8 : format(matrix),
                group(matrix),
                count(in),
                l,
                linear.cols(),
                linear.rows(),
                op.gate().isPresent()
                        ? ClKernel.OPEN_GATE
                        : linear.residual().isPresent() ? ClKernel.ADD_TO : ClKernel.REPLACE,
                tilesEach,
                tokensEach,
                from.at(),
                from.stride(),
                to.at(),
                to.stride(),
                vectors.at(section, linear, l));
        int[] row = op.norm()
                .map(norm -> ClKernel.normalizing(
                        product, vectors.at(section, new Plain(norm), l), norm.eps(), layout.scratch()))
                .orElse(product);
        return launch(
                op.name(),
                int8 && single ? ClKernel.quantizing(row, layout.scratch()) : row,
                ClArrays.of(matrix),
                shape -> ClKernel.matMulGrid(tiles, tilesEach, rows(shape, in), tokensEach));
    }

    private Launch embed(Section section, Op.Embed op) {
        DeviceMatrix matrix = weights.matrix(section, op);
        if (matrix instanceof DeviceMatrix.Int4) {
            throw new IllegalStateException("no embedding is int4");
        }
        View out = layout.of(op.out());
        int[] row = ClKernel.embed(format(matrix), out.width(), workspace.maxTokens(), out.at(), out.stride());
        return launch("Embed", row, ClArrays.of(matrix), shape -> rowGrid(shape.tokens()));
    }

    private Launch rmsNorm(Section section, int l, Op.RmsNorm op) {
        return norm("RmsNorm", op.in(), op.out(), 1, op.in().width(), vectors.at(section, new Plain(op), l), op.eps());
    }

    private Launch headNorms(Section section, int l, HeadNorms op) {
        Buffer x = op.xs().getFirst();
        return norm(op.name(), x, x, op.heads(), op.headDim(), vectors.at(section, op, l), op.eps());
    }

    private Launch norm(String what, Buffer from, Buffer to, int heads, int width, int scalesAt, float eps) {
        View in = layout.of(from);
        View out = layout.of(to);
        int[] row = ClKernel.rmsNorm(
                count(from), heads, width, scalesAt, eps, in.at(), in.stride(), out.at(), out.stride());
        return launch(what, row, ClArrays.NONE, shape -> rowGrid(rows(shape, from)));
    }

    private Launch rotate(Section section, int l, ClOp.Rotate op) {
        return launch(op.name(), rotation(section, l, op), angles(op), shape -> rowGrid(shape.tokens()));
    }

    /** The row of a rotation. */
    private int[] rotation(Section section, int l, ClOp.Rotate op) {
        Rotation rotation = op.rotation();
        View x = layout.of(rotation.xs().getFirst());
        int[] row = ClKernel.rotate(rotation.heads(), rotation.rope().headDim() / 2, x.at(), x.stride());
        return op.norms()
                .map(norms -> ClKernel.normalized(row, vectors.at(section, norms, l), norms.eps()))
                .orElse(row);
    }

    private ClArrays angles(ClOp.Rotate op) {
        return ClArrays.NONE.withAngles(workspace.angles(op.rotation().rope()).array());
    }

    private Launch writeKv(Section section, int l, Op.WriteKv op) {
        View k = layout.of(op.k());
        View v = layout.of(op.v());
        int[] row = ClKernel.writeKv(cache(section, l), k.at(), k.stride(), v.at(), v.stride());
        return launch("WriteKv", row, cacheArrays(section), shape -> rowGrid(shape.tokens()));
    }

    private Launch attend(Section section, int l, ClOp.Attend fused) {
        Op.Attention op = fused.attention();
        View q = layout.of(op.q());
        View out = layout.of(op.out());
        int[] row = ClKernel.attention(
                cache(section, l),
                op.heads(),
                layout.segments(),
                layout.partials(),
                Numerics.attentionScale(op.headDim()),
                op.window(),
                q.at(),
                q.stride(),
                out.at(),
                out.stride());
        ClArrays arrays = cacheArrays(section);
        if (fused.fresh().isPresent()) {
            ClOp.Fresh fresh = fused.fresh().get();
            View v = layout.of(fresh.write().v());
            row = ClKernel.fresh(row, rotation(section, l, fresh.rotate()), v.at(), v.stride());
            arrays = arrays.withAngles(angles(fresh.rotate()).angles());
        }
        return launch(
                "Attention", row, arrays, shape -> ClKernel.attentionGrid(op.kvHeads(), Math.max(1, shape.tokens())));
    }

    /** The fields of a layer's part of the cache. */
    private int[] cache(Section section, int l) {
        KvConfig config = workspace.cache().config();
        return ClKernel.cache(
                config.dtype() == KvDtype.F16 ? ClKernel.F16 : ClKernel.F32,
                config.kvHeads(),
                config.headDim(),
                config.blockTokens(),
                workspace.cache().offset(section.firstLayer().orElseThrow() + l),
                workspace.maxTokens());
    }

    private ClArrays cacheArrays(Section section) {
        int layer = section.firstLayer().orElseThrow();
        return new ClArrays(
                null,
                null,
                null,
                workspace.cache().of(layer, KvPart.K),
                workspace.cache().of(layer, KvPart.V));
    }

    private Launch swiGlu(Op.SwiGlu op) {
        View gate = layout.of(op.gate());
        View up = layout.of(op.up());
        View out = layout.of(op.out());
        int[] row = ClKernel.swiGlu(
                count(op.out()), out.width(), gate.at(), gate.stride(), up.at(), up.stride(), out.at(), out.stride());
        return launch("SwiGlu", row, ClArrays.NONE, shape -> rowGrid(rows(shape, op.out())));
    }

    private Launch add(Op.Add op) {
        View x = layout.of(op.x());
        View y = layout.of(op.y());
        int[] row = ClKernel.add(count(op.x()), x.width(), x.at(), x.stride(), y.at(), y.stride());
        return launch("Add", row, ClArrays.NONE, shape -> rowGrid(rows(shape, op.x())));
    }

    private Launch selectOutputs(Op.SelectOutputs op) {
        View in = layout.of(op.in());
        View out = layout.of(op.out());
        int[] row = ClKernel.selectOutputs(
                out.width(), workspace.maxTokens(), in.at(), in.stride(), out.at(), out.stride());
        return launch("SelectOutputs", row, ClArrays.NONE, shape -> rowGrid(shape.outputs()));
    }

    private Launch launch(String what, int[] row, ClArrays arrays, Function<StepShape, Grid> geometry) {
        int task = workspace.nextTask();
        table.set(task, row);
        used.add(arrays);
        String name = Launch.name(what, task);
        List<TornadoNativeArray> inputs = new ArrayList<>(arrays.all());
        inputs.add(table.array());
        return new Launch(
                name,
                task,
                graph -> graph.prebuiltTask(name, ClSource.KERNEL, ClSource.file(), parameters(arrays, task)),
                geometry,
                inputs);
    }

    /** The kernel's parameters but for TornadoVM's own; an array that the op has not is the table, for it must be one. */
    private AccessorParameters parameters(ClArrays arrays, int task) {
        AccessorParameters parameters = new AccessorParameters(10);
        parameters.set(0, table.array(), Access.READ_ONLY);
        parameters.set(1, workspace.step(), Access.READ_ONLY);
        parameters.set(2, workspace.launches(), Access.READ_WRITE);
        parameters.set(3, workspace.values(), Access.READ_WRITE);
        set(parameters, 4, arrays.angles(), Access.READ_ONLY);
        set(parameters, 5, arrays.weights(), Access.READ_ONLY);
        set(parameters, 6, arrays.scales(), Access.READ_ONLY);
        set(parameters, 7, arrays.keys(), Access.READ_WRITE);
        set(parameters, 8, arrays.values(), Access.READ_WRITE);
        parameters.set(9, task, Access.READ_ONLY);
        return parameters;
    }

    private void set(AccessorParameters parameters, int index, TornadoNativeArray array, Access access) {
        if (array == null) {
            parameters.set(index, table.array(), Access.READ_ONLY);
        } else {
            parameters.set(index, array, access);
        }
    }

    /** For one row at least, since a launch without work-items would not be counted. */
    private static Grid rowGrid(int rows) {
        return ClKernel.rowGrid(Math.max(1, rows));
    }

    private static int format(DeviceMatrix matrix) {
        return switch (matrix) {
            case DeviceMatrix.F32 _ -> ClKernel.F32;
            case DeviceMatrix.Half half -> half.dtype() == Dtype.F16 ? ClKernel.F16 : ClKernel.BF16;
            case DeviceMatrix.Int4 _ -> ClKernel.INT4;
        };
    }

    private static int group(DeviceMatrix matrix) {
        return matrix instanceof DeviceMatrix.Int4 int4 ? int4.group() : 0;
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
