package io.tutti.tornado.program;

import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Op;
import io.tutti.engine.graph.Op.Add;
import io.tutti.engine.graph.Op.Attention;
import io.tutti.engine.graph.Op.Embed;
import io.tutti.engine.graph.Op.MatMul;
import io.tutti.engine.graph.Op.RmsNorm;
import io.tutti.engine.graph.Op.Rope;
import io.tutti.engine.graph.Op.SelectOutputs;
import io.tutti.engine.graph.Op.SwiGlu;
import io.tutti.engine.graph.Op.WriteKv;
import io.tutti.engine.graph.RopeParameters;
import io.tutti.engine.graph.Rows;
import io.tutti.engine.reference.Numerics;
import io.tutti.kv.KvConfig;
import io.tutti.kv.KvPart;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.tornado.kernel.AttentionCombine;
import io.tutti.tornado.kernel.Elementwise;
import io.tutti.tornado.kernel.Grid;
import io.tutti.tornado.kernel.MatMulLanes;
import io.tutti.tornado.kernel.MatMulTiles;
import io.tutti.tornado.kernel.Rotate;
import io.tutti.tornado.kernel.StepLayout;
import io.tutti.tornado.kernel.Tables;
import io.tutti.tornado.program.FusedOp.Linear;
import io.tutti.tornado.program.FusedOp.Plain;
import io.tutti.tornado.program.FusedOp.Rotation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.TaskGraph;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;
import uk.ac.manchester.tornado.api.types.arrays.ShortArray;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/** Turns the ops of sections into launches of kernels, and owns the arrays that all of them work on. */
final class Kernels {

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
            DeviceWeights weights,
            int mostTasks) {
        this.limits = limits;
        this.mapping = mapping;
        this.layout = layout;
        this.cache = cache;
        this.cacheArrays = cacheArrays;
        this.weights = weights;
        step = new StepArray(limits, cache.blockTokens());
        layer.init(0);
        launches = new IntArray(mostTasks);
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

    IntArray launches() {
        return launches;
    }

    FloatArray values() {
        return values;
    }

    /** What goes up with each step beside {@link #step()}. */
    List<TornadoNativeArray> stepTables() {
        return angles.values().stream()
                .<TornadoNativeArray>map(RopeAngles::array)
                .toList();
    }

    /** Launches that {@link #launches()} counts. */
    int tasks() {
        return tasks;
    }

    /** Writes a step's numbers to the arrays that go up with it. */
    StepShape fill(StepInputs inputs) {
        angles.values().forEach(a -> a.fill(inputs));
        return step.fill(inputs);
    }

    /** Sets the layer whose turn it is, the {@code index}-th of a section that begins with layer {@code first}. */
    void setLayer(int first, int index, boolean cached) {
        layer.set(0, index);
        layer.set(1, cached ? cacheArrays.offset(first + index) : 0);
    }

    /** The launches of a section's ops, in order. */
    List<Launch> launches(Section section) {
        List<Launch> list = new ArrayList<>();
        for (FusedOp op : section.ops()) {
            switch (op) {
                case Linear linear -> list.add(matMul(section, linear));
                case Rotation rotation -> list.add(rotate(rotation));
                case Plain(Embed embed) -> list.add(embed(section, embed));
                case Plain(RmsNorm norm) -> list.add(rmsNorm(section, norm));
                case Plain(WriteKv write) -> list.add(writeKv(section, write));
                case Plain(Attention attention) -> {
                    list.add(attend(section, attention));
                    list.add(combine(attention));
                }
                case Plain(SwiGlu swiGlu) -> list.add(swiGlu(swiGlu));
                case Plain(Add add) -> list.add(add(add));
                case Plain(SelectOutputs select) -> list.add(selectOutputs(select));
                case Plain(MatMul _), Plain(Rope _) ->
                    throw new IllegalStateException(op.name() + " is no plain op");
            }
        }
        return list;
    }

    /**
     * Launches whose kernels read and rewrite a number of each array, nothing else: TornadoVM uploads what the first kernel
     * to use an array reads, and no more than that.
     */
    List<Launch> touch(List<TornadoNativeArray> arrays) {
        return arrays.stream().map(this::touch).toList();
    }

    private Launch touch(TornadoNativeArray array) {
        int task = tasks++;
        return launch(
                "touch",
                task,
                graph -> switch (array) {
                    case FloatArray a -> graph.task(name("touch", task), Touch::floats, context, launches, a, task);
                    case ShortArray a -> graph.task(name("touch", task), Touch::halves, context, launches, a, task);
                    default -> throw new IllegalArgumentException("no kernel touches a " + array.getClass());
                },
                shape -> Touch.grid(),
                array);
    }
