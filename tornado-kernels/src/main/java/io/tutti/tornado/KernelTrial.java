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
 * How long a device's kernels take for what most of a model's time goes into: a matrix of bf16, larger than a core's caches,
 * times one token and times a few.
 */
final class KernelTrial {

    private static final int COLS = 1024;
    private static final int ROWS = 8192;
    private static final int IDS = 32;
    private static final int TOKENS = 16;
    private static final int REPEATS = 5;

    private static final Buffer X = Buffer.ofTokens("x", COLS);
    private static final Buffer LAST = Buffer.ofOutputs("last", COLS);
    private static final Buffer LOGITS = Buffer.ofOutputs("logits", ROWS);
    private static final Graph GRAPH = Graph.builder()
            .first(new Embed(new Matrix("table", IDS, COLS), X))
            .last(new SelectOutputs(X, LAST), new MatMul(LAST, new Matrix("matrix", ROWS, COLS), LOGITS))
            .build(LOGITS);

    private KernelTrial() {}

    /**
     * The time in milliseconds, the best of a few.
     *
     * @throws RuntimeException whatever is wrong with the device, if it cannot run them
     */
    static double run(Target target, int threads) {
        KvConfig unused = new KvConfig(1, 1, 1, 1, 1, KvDtype.F32, false, "trial");
        ProgramLimits limits = new ProgramLimits(TOKENS, 1, TOKENS);
        try (KvPool pool = new KvPool(unused);
                TornadoProgram program =
                        new TornadoProgram(GRAPH, new Zeros(), pool, limits, target, threads, LoadProgress.NONE)) {
            return best(program, 1) + best(program, TOKENS);
        }
    }

    private static double best(TornadoProgram program, int tokens) {
        StepInputs step = step(tokens);
        float[] logits = new float[tokens * ROWS];
        double best = Double.MAX_VALUE;
        for (int i = 0; i < REPEATS; i++) {
            long start = System.nanoTime();
            program.run(step);
            program.read(LOGITS, logits);
            best = Math.min(best, (System.nanoTime() - start) * 1e-6);
        }
        return best;
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
