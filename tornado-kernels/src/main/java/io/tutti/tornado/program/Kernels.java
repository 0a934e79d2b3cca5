package io.tutti.tornado.program;

import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Op;
import io.tutti.engine.graph.RopeParameters;
import io.tutti.engine.graph.Rows;
import io.tutti.engine.reference.Numerics;
import io.tutti.kv.KvConfig;
import io.tutti.kv.KvPart;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.tornado.kernel.Attention;
import io.tutti.tornado.kernel.AttentionCombine;
import io.tutti.tornado.kernel.Elementwise;
import io.tutti.tornado.kernel.Embed;
import io.tutti.tornado.kernel.MatMulLanes;
import io.tutti.tornado.kernel.MatMulTiles;
import io.tutti.tornado.kernel.RmsNorm;
import io.tutti.tornado.kernel.Rotate;
import io.tutti.tornado.kernel.StepLayout;
import io.tutti.tornado.kernel.Tables;
import io.tutti.tornado.kernel.Touch;
import io.tutti.tornado.kernel.WriteKv;
import io.tutti.tornado.program.FusedOp.Linear;
import io.tutti.tornado.program.FusedOp.Plain;
import io.tutti.tornado.program.FusedOp.Rotation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;
import uk.ac.manchester.tornado.api.types.arrays.ShortArray;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/** Turns the ops of sections into launches of kernels, and owns the arrays that all of them work on. */
final class Kernels {

    /** More than the sections of any model have kernels. */
    private static final int MOST_TASKS = 4096;

    private final ProgramLimits limits;
    private final Mapping mapping;
    private final ValuesLayout layout;
    private final KvConfig cache;
    private final CacheArrays cacheArrays;
    private final DeviceWeights weights;

    private final KernelContext context = new KernelContext();
    private final StepArray step;
    /** The layer within its section, and where its part of the cache begins. */
    private final IntArray layer = new IntArray(2);

    private final IntArray launches;
    private final FloatArray values;
    private final FloatArray tables;
    private final Map<RopeParameters, RopeAngles> angles = new LinkedHashMap<>();
    private int tasks;

    Kernels(
            ProgramLimits limits,
            Mapping mapping,
            ValuesLayout layout,
            KvConfig cache,
            CacheArrays cacheArrays,
            DeviceWeights weights) {
        this.limits = limits;
        this.mapping = mapping;
        this.layout = layout;
        this.cache = cache;
        this.cacheArrays = cacheArrays;
        this.weights = weights;
        step = new StepArray(limits, cache.blockTokens());
        layer.init(0);
        launches = new IntArray(MOST_TASKS);
        launches.init(0);
        values = new FloatArray(Math.toIntExact(layout.size()));
        tables = Tables.make(mapping.tables());
    }

    IntArray layer() {
        return layer;
    }

    IntArray step() {
        return step.array();
    }

    /** How often each task ran, counted on the device. */
    IntArray launchCounts() {
        return launches;
    }

    FloatArray values() {
        return values;
    }

    /** What goes up with each step beside {@link #step()}. */
    List<FloatArray> stepTables() {
        return angles.values().stream().map(RopeAngles::array).toList();
    }

    /** Launches that {@link #launchCounts()} counts. */
    int tasks() {
        return tasks;
    }

    /** Writes a step's numbers to the arrays that go up with it. */
    StepShape fill(StepInputs inputs) {
        angles.values().forEach(a -> a.fill(inputs));
        return step.fill(inputs);
    }

    /** Sets the layer whose turn it is: the {@code index}-th of a section that begins with layer {@code first}. */
    void setLayer(int first, int index) {
        layer.set(0, index);
        layer.set(1, cacheArrays.offset(first + index));
    }

    /** Says that ops outside the layers have their turn. */
    void setNoLayer() {
        layer.set(0, 0);
        layer.set(1, 0);
    }

    /** The launches of a section's ops, in order. */
    List<Launch> launches(Section section) {
        List<Launch> list = new ArrayList<>();
        for (FusedOp op : section.ops()) {
            switch (op) {
                case Linear linear -> list.add(matMul(section, linear));
                case Rotation rotation -> list.add(rotate(rotation));
                case Plain(Op.Embed embed) -> list.add(embed(section, embed));
                case Plain(Op.RmsNorm norm) -> list.add(rmsNorm(section, norm));
                case Plain(Op.WriteKv write) -> list.add(writeKv(section, write));
                case Plain(Op.Attention attention) -> {
                    list.add(attend(section, attention));
                    list.add(combine(attention));
                }
                case Plain(Op.SwiGlu swiGlu) -> list.add(swiGlu(swiGlu));
                case Plain(Op.Add add) -> list.add(add(add));
                case Plain(Op.SelectOutputs select) -> list.add(selectOutputs(select));
                case Plain(Op.MatMul _), Plain(Op.Rope _) ->
                    throw new IllegalStateException(op.name() + " is no plain op");
            }
        }
        return list;
    }

    /**
     * Launches whose kernels read and rewrite a number of an array, nothing else: TornadoVM uploads what the first kernel to
     * use an array reads, and no more than that.
     */
    List<Launch> touch(List<FloatArray> arrays) {
        return arrays.stream().map(this::touch).toList();
    }

    private Launch touch(FloatArray array) {
        int task = tasks++;
        String name = name("Touch", task);
        return new Launch(
                name,
                task,
                graph -> graph.task(name, Touch::floats, context, launches, array, task),
                shape -> Touch.grid(),
                List.of(array));
    }

    /** The same for all values and the whole cache. */
    List<Launch> touchCache() {
        return cacheArrays.isEmpty()
                ? List.of(touch(values))
                : IntStream.range(0, cacheArrays.regions())
                        .mapToObj(this::touchRegion)
                        .toList();
    }

    private Launch touchRegion(int region) {
        int task = tasks++;
        String name = name("TouchCache", task);
        TornadoNativeArray keys = cacheArrays.keys(region);
        TornadoNativeArray slabValues = cacheArrays.values(region);
        return new Launch(
                name,
                task,
                graph -> switch (cache.dtype()) {
                    case F16 ->
                        graph.task(
                                name,
                                Touch::f16,
                                context,
                                launches,
                                values,
                                (ShortArray) keys,
                                (ShortArray) slabValues,
                                task);
                    case F32 ->
                        graph.task(
                                name,
                                Touch::f32,
                                context,
                                launches,
                                values,
                                (FloatArray) keys,
                                (FloatArray) slabValues,
                                task);
                },
                shape -> Touch.grid(),
                List.of(values, keys, slabValues));
    }

    private Launch matMul(Section section, Linear op) {
        int task = tasks++;
        String name = name(op.name(), task);
        MatMulTask matMul = new MatMulTask(
                name,
                context,
                step(),
                layer,
                launches,
                values,
                tables,
                mapping.tables(),
                op.cols(),
                op.rows(),
                count(op.in()),
                layout.of(op.in()),
                layout.of(op.written().getFirst()),
                op.residual().isPresent() ? 1 : 0,
                task);
        DeviceMatrix matrix = weights.matrix(section, op);
        List<TornadoNativeArray> inputs = inputs(matrix);
        inputs.add(layer);
        return new Launch(
                name,
                task,
                graph -> switch (mapping) {
                    case TILES -> matMul.addTiles(graph, matrix);
                    case LANES -> matMul.addLanes(graph, matrix);
                },
                shape -> {
                    int rows = rows(shape, op.in());
                    return switch (mapping) {
                        case TILES -> MatMulTiles.grid(rows, op.rows());
                        case LANES -> MatMulLanes.grid(rows, op.rows());
                    };
                },
                inputs);
    }

    private Launch rotate(Rotation op) {
        int task = tasks++;
        String name = name(op.name(), task);
        View x = layout.of(op.xs().getFirst());
        int pairs = op.rope().headDim() / 2;
        FloatArray angles = angles(op.rope()).array();
        return new Launch(
                name,
                task,
                graph -> graph.task(
                        name,
                        Rotate::pairs,
                        context,
                        step(),
                        launches,
                        values,
                        angles,
                        x.at(),
                        x.stride(),
                        pairs,
                        task),
                shape -> Rotate.grid(Math.max(1, shape.tokens()), op.heads(), pairs),
                List.of(angles));
    }

    private RopeAngles angles(RopeParameters rope) {
        return angles.computeIfAbsent(rope, r -> new RopeAngles(r, limits.maxTokens()));
    }

    private Launch embed(Section section, Op.Embed op) {
        int task = tasks++;
        String name = name("Embed", task);
        View out = layout.of(op.out());
        int width = out.width();
        int most = limits.maxTokens();
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
                                step(),
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
                                step(),
                                launches,
                                values,
                                table,
                                tables,
                                MatMulTask.format(dtype),
                                mapping.tables(),
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
        int task = tasks++;
        String name = name("RmsNorm", task);
        View in = layout.of(op.in());
        View out = layout.of(op.out());
        FloatArray scales = weights.scales(section, op);
        return new Launch(
                name,
                task,
                graph -> graph.task(
                        name,
                        RmsNorm::rows,
                        context,
                        step(),
                        layer,
                        launches,
                        values,
                        scales,
                        op.eps(),
                        count(op.in()),
                        in.width(),
                        in.at(),
                        in.stride(),
                        out.at(),
                        out.stride(),
                        task),
                shape -> RmsNorm.grid(rows(shape, op.in())),
                List.of(layer, scales));
    }

    private Launch writeKv(Section section, Op.WriteKv op) {
        int task = tasks++;
        String name = name("WriteKv", task);
        View k = layout.of(op.k());
        View v = layout.of(op.v());
        TornadoNativeArray keys = cacheArrays.of(section.firstLayer().orElseThrow(), KvPart.K);
        TornadoNativeArray slabValues = cacheArrays.of(section.firstLayer().orElseThrow(), KvPart.V);
        int kvHeads = cache.kvHeads();
        int headDim = cache.headDim();
        int block = cache.blockTokens();
        int most = limits.maxTokens();
        return new Launch(
                name,
                task,
                graph -> switch (cache.dtype()) {
                    case F16 ->
                        graph.task(
                                name,
                                WriteKv::f16,
                                context,
                                step(),
                                layer,
                                launches,
                                values,
                                (ShortArray) keys,
                                (ShortArray) slabValues,
                                tables,
                                k.at(),
                                k.stride(),
                                v.at(),
                                v.stride(),
                                kvHeads,
                                headDim,
                                block,
                                most,
                                task);
                    case F32 ->
                        graph.task(
                                name,
                                WriteKv::f32,
                                context,
                                step(),
                                layer,
                                launches,
                                values,
                                (FloatArray) keys,
                                (FloatArray) slabValues,
                                tables,
                                k.at(),
                                k.stride(),
                                v.at(),
                                v.stride(),
                                kvHeads,
                                headDim,
                                block,
                                most,
                                task);
                },
                shape -> WriteKv.grid(Math.max(1, shape.tokens()), kvHeads, headDim),
                List.of(layer, tables));
    }

    private Launch attend(Section section, Op.Attention op) {
        int task = tasks++;
        String name = name("Attention", task);
        View q = layout.of(op.q());
        TornadoNativeArray keys = cacheArrays.of(section.firstLayer().orElseThrow(), KvPart.K);
        TornadoNativeArray slabValues = cacheArrays.of(section.firstLayer().orElseThrow(), KvPart.V);
        float scale = Numerics.attentionScale(op.headDim());
        int block = cache.blockTokens();
        int most = limits.maxTokens();
        int capacity = layout.segments();
        int partials = layout.partials();
        return new Launch(
                name,
                task,
                graph -> switch (cache.dtype()) {
                    case F16 ->
                        graph.task(
                                name,
                                Attention::f16,
                                context,
                                step(),
                                layer,
                                launches,
                                values,
                                (ShortArray) keys,
                                (ShortArray) slabValues,
                                tables,
                                mapping.tables(),
                                scale,
                                op.heads(),
                                op.kvHeads(),
                                op.headDim(),
                                block,
                                most,
                                capacity,
                                q.at(),
                                q.stride(),
                                partials,
                                task);
                    case F32 ->
                        graph.task(
                                name,
                                Attention::f32,
                                context,
                                step(),
                                layer,
                                launches,
                                values,
                                (FloatArray) keys,
                                (FloatArray) slabValues,
                                tables,
                                mapping.tables(),
                                scale,
                                op.heads(),
                                op.kvHeads(),
                                op.headDim(),
                                block,
                                most,
                                capacity,
                                q.at(),
                                q.stride(),
                                partials,
                                task);
                },
                shape -> Attention.grid(Math.max(1, shape.tokens()), op.heads(), Math.max(1, shape.segments())),
                List.of(layer, tables));
    }

    private Launch combine(Op.Attention op) {
        int task = tasks++;
        String name = name("AttentionCombine", task);
        View out = layout.of(op.out());
        int capacity = layout.segments();
        int partials = layout.partials();
        return new Launch(
                name,
                task,
                graph -> graph.task(
                        name,
                        AttentionCombine::heads,
                        context,
                        step(),
                        launches,
                        values,
                        tables,
                        op.heads(),
                        op.headDim(),
                        limits.maxTokens(),
                        capacity,
                        partials,
                        out.at(),
                        out.stride(),
                        task),
                shape -> AttentionCombine.grid(Math.max(1, shape.tokens()), op.heads(), op.headDim()),
                List.of(tables));
    }

    private Launch swiGlu(Op.SwiGlu op) {
        int task = tasks++;
        String name = name("SwiGlu", task);
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
                        step(),
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
        int task = tasks++;
        String name = name("Add", task);
        View x = layout.of(op.x());
        View y = layout.of(op.y());
        return new Launch(
                name,
                task,
                graph -> graph.task(
                        name,
                        Elementwise::add,
                        context,
                        step(),
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
        int task = tasks++;
        String name = name("SelectOutputs", task);
        View in = layout.of(op.in());
        View out = layout.of(op.out());
        return new Launch(
                name,
                task,
                graph -> graph.task(
                        name,
                        Elementwise::selectOutputs,
                        context,
                        step(),
                        launches,
                        values,
                        limits.maxTokens(),
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

    /** A task's name: what it does, and its place in the counts. */
    private static String name(String what, int task) {
        return what + task;
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
