package io.tutti.tornado;

import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Op.Embed;
import io.tutti.engine.graph.Op.MatMul;
import io.tutti.engine.graph.Op.SelectOutputs;
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.kv.KvConfig;
import io.tutti.kv.KvDtype;
import io.tutti.kv.KvPool;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.safetensors.TensorWindow;
import io.tutti.modelio.weights.DenseWeight;
import io.tutti.modelio.weights.Weight;
import io.tutti.modelio.weights.WeightSource;
import io.tutti.tornado.program.Target;
import io.tutti.tornado.program.TornadoProgram;
import java.nio.file.Path;
import java.util.stream.IntStream;

/**
 * Times a device's kernels at what most of a model's time goes into: a matrix of bf16, larger than a core's caches, times one
 * token and times many.
 */
final class KernelTrial implements KernelChoice.Trial {

    private static final int COLS = 1024;
    private static final int ROWS = 8192;
    private static final int IDS = 32;
    private static final int MANY = 48;

    private static final Buffer X = Buffer.ofTokens("x", COLS);
    private static final Buffer LAST = Buffer.ofOutputs("last", COLS);
    private static final Buffer LOGITS = Buffer.ofOutputs("logits", ROWS);
    private static final Graph GRAPH = Graph.builder()
            .first(new Embed(new Matrix("table", IDS, COLS), X))
            .last(new SelectOutputs(X, LAST), new MatMul(LAST, new Matrix("matrix", ROWS, COLS), LOGITS))
            .build(LOGITS);

    private final KvPool pool = new KvPool(new KvConfig(1, 1, 1, 1, 1, KvDtype.F32, false, "trial"));
    private final TornadoProgram program;
    private final float[] logits = new float[MANY * ROWS];

    /**
     * Compiles the kernels.
     *
     * @throws RuntimeException whatever is wrong with the device, if it cannot run them
     */
    KernelTrial(Target target, int threads) {
        ProgramLimits limits = new ProgramLimits(MANY, 1, MANY);
        try {
            program = new TornadoProgram(GRAPH, new Zeros(), pool, limits, target, threads, LoadProgress.NONE);
        } catch (RuntimeException | Error e) {
            pool.close();
            throw e;
        }
    }

    /** Milliseconds for one token and for many. */
    @Override
    public double time() {
        return time(1) + time(MANY);
    }

    private double time(int tokens) {
        StepInputs step = step(tokens);
        long start = System.nanoTime();
        program.run(step);
        program.read(LOGITS, logits);
        return (System.nanoTime() - start) * 1e-6;
    }

    @Override
    public void close() {
        try (pool) {
            program.close();
        }
    }

    private static StepInputs step(int tokens) {
        int[] each = IntStream.range(0, tokens).toArray();
        int[] none = {};
        return new StepInputs(each, each, each, new int[] {0, tokens}, none, new int[] {0, 0}, each);
    }

    /** Weights that are all zero. */
    private static final class Zeros implements WeightSource {
        @Override
        public Weight matrix(String name, int rows, int cols) {
            long bytes = (long) rows * cols * Dtype.BF16.bytes();
            return new DenseWeight(name, Path.of("trial"), Dtype.BF16, rows, cols, TensorWindow.allocate(bytes));
        }

        @Override
        public float[] vector(String name, int size) {
            return new float[size];
        }
    }
}
