package io.tutti.engine.host;

import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Activations;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Graph.Part;
import io.tutti.engine.graph.Graph.Place;
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
import io.tutti.engine.graph.RopeParameters;
import io.tutti.engine.graph.Weight;
import io.tutti.engine.host.FusedOp.Linear;
import io.tutti.engine.host.FusedOp.Plain;
import io.tutti.engine.host.FusedOp.Product;
import io.tutti.engine.host.FusedOp.RopeKv;
import io.tutti.engine.host.RopeKvOp.Norm;
import io.tutti.engine.host.RopeKvOp.Rotation;
import io.tutti.engine.host.RopeKvOp.Write;
import io.tutti.engine.host.kernel.Elementwise;
import io.tutti.engine.host.kernel.ScaleRuns;
import io.tutti.engine.reference.RopeTable;
import io.tutti.kv.KvPool;
import io.tutti.modelio.weights.WeightSource;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** A graph for the host: a list of ops, layer after layer, each split among the workers by rows, tiles or heads. */
final class HostProgram implements Program {

    private final Graph graph;
    private final Arena arena = Arena.ofShared();
    private final Workers workers;
    private final Step step;
    private final List<HostOp> ops = new ArrayList<>();
    private final long weightBytes;

    HostProgram(Graph graph, WeightSource source, KvPool pool, int threads, LoadProgress progress) {
        this.graph = graph;
        workers = new Workers(threads);
        step = new Step(workers);
        try {
            HostWeights weights = new HostWeights(graph.weights(), source, workers, arena, progress);
            weightBytes = weights.bytes();
            new Compiler(weights, pool).compile();
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    @Override
    public void run(StepInputs inputs) {
        step.begin(inputs);
        for (HostOp op : ops) {
            op.run(step);
        }
    }

    @Override
    public void read(Buffer buffer, float[] out) {
        graph.requireResult(buffer);
        System.arraycopy(step.data(buffer), 0, out, 0, step.rows(buffer) * buffer.width());
    }

    @Override
    public long weightBytes() {
        return weightBytes;
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            workers.close();
            arena.close();
        }
    }

    /** Turns each op of each layer into a {@link HostOp}. */
    private final class Compiler {
        private final HostWeights weights;
        private final KvPool pool;
        private final Map<GroupedColumns, QuantizedRows> quantized = new HashMap<>();
        private final Map<RopeParameters, RopeTable> ropes = new HashMap<>();
        private final AttentionWork attentionWork = new AttentionWork(AttentionWork.DEFAULT_FLOATS);

        Compiler(HostWeights weights, KvPool pool) {
            this.weights = weights;
            this.pool = pool;
        }

        void compile() {
            Fusion fusion = new Fusion(graph);
            Map<Part, List<FusedOp>> fused = new HashMap<>();
            for (Place place : graph.places()) {
                fused.computeIfAbsent(place.part(), fusion::fuse).forEach(op -> ops.add(compile(op, place.layer())));
            }
        }

        private HostOp compile(FusedOp fused, OptionalInt layer) {
            return switch (fused) {
                case Plain plain -> compile(plain.op(), layer);
                case RopeKv r ->
                    new RopeKvOp(
                            r.norms().stream()
                                    .map(norm -> new Norm(norm, vector(norm.scale(), layer)))
                                    .toList(),
                            r.ropes().stream()
                                    .map(rope -> new Rotation(rope, ropes.computeIfAbsent(rope.rope(), RopeTable::new)))
                                    .toList(),
                            r.write().map(write -> new Write(write, LayerCache.of(pool, layer.orElseThrow()))));
                case Linear linear ->
                    new LinearOp(
                            linear.in(),
                            linear.products().stream()
                                    .map(product -> part(product, layer))
                                    .toList());
            };
        }

        private LinearOp.Part part(Product product, OptionalInt layer) {
            return switch (product) {
                case Product.Store p ->
                    new LinearOp.Part.Store(linear(p.layer(), layer), p.layer().out());
                case Product.AddTo p -> new LinearOp.Part.AddTo(linear(p.layer(), layer), p.x());
                case Product.Gate p -> new LinearOp.Part.Gate(linear(p.gate(), layer), linear(p.up(), layer), p.out());
            };
        }

        private LinearOp.Layer linear(MatMul op, OptionalInt layer) {
            PackedMatrix packed = matrix(op.weight(), layer);
            LinearWeight weight = op.activations() == Activations.INT8 && packed instanceof PackedMatrix.Int4 int4
                    ? new Int8Matrix(int4, quantized(int4))
                    : packed;
            return op.bias()
                    .map(bias -> LinearOp.Layer.of(weight, vector(bias, layer)))
                    .orElseGet(() -> new LinearOp.Layer(weight));
        }

        /** All matrices with the same columns and groups have their input in one place. */
        private QuantizedRows quantized(PackedMatrix.Int4 int4) {
            return quantized.computeIfAbsent(
                    new GroupedColumns(int4.cols(), int4.group()),
                    shape -> new QuantizedRows(new ScaleRuns(shape.cols(), shape.group())));
        }

        private record GroupedColumns(int cols, int group) {}

        private HostOp compile(Op op, OptionalInt layer) {
            return switch (op) {
                case Embed e -> embed(e, matrix(e.table(), layer));
                case RmsNorm n -> new RmsNormOp(n, vector(n.scale(), layer));
                case MatMul _, HeadNorm _, Rope _, WriteKv _ -> throw new IllegalStateException(op + " was not fused");
                case Attention a -> new AttentionOp(a, LayerCache.of(pool, layer.orElseThrow()), attentionWork);
                case SwiGlu s -> swiGlu(s);
                case Add a -> add(a);
                case SelectOutputs s -> selectOutputs(s);
            };
        }

        private PackedMatrix matrix(Weight.Matrix weight, OptionalInt layer) {
            return weights.matrix(weight.name(layer));
        }

        private float[] vector(Weight.Vector weight, OptionalInt layer) {
            return weights.vector(weight.name(layer));
        }
    }

    private static HostOp embed(Embed op, PackedMatrix table) {
        return step -> {
            int[] ids = step.inputs().tokens();
            float[] out = step.data(op.out());
            step.workers()
                    .forEach(
                            ids.length,
                            (t, worker) -> table.row(ids[t], out, t * op.out().width()));
        };
    }

    private static HostOp swiGlu(SwiGlu op) {
        int n = op.out().width();
        return step -> {
            float[] gate = step.data(op.gate());
            float[] up = step.data(op.up());
            float[] out = step.data(op.out());
            step.workers().forEach(step.rows(op.out()), (t, worker) -> {
                Elementwise.swiGlu(
                        gate,
                        t * n,
                        up,
                        t * n,
                        out,
                        t * n,
                        n,
                        step.scratch(worker).row(n));
            });
        };
    }

    private static HostOp add(Add op) {
        int n = op.x().width();
        return step -> {
            float[] x = step.data(op.x());
            float[] y = step.data(op.y());
            step.workers().forEach(step.rows(op.x()), (t, worker) -> Elementwise.add(x, t * n, y, t * n, n));
        };
    }

    private static HostOp selectOutputs(SelectOutputs op) {
        int n = op.in().width();
        return step -> {
            int[] outputs = step.inputs().outputs();
            float[] in = step.data(op.in());
            float[] out = step.data(op.out());
            for (int i = 0; i < outputs.length; i++) {
                System.arraycopy(in, outputs[i] * n, out, i * n, n);
            }
        };
    }
}
