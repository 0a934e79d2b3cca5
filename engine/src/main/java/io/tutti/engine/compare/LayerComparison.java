package io.tutti.engine.compare;

import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.backend.Unsupported;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Op;
import io.tutti.engine.model.StoredModel;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.engine.selftest.Comparison;
import io.tutti.kv.KvConfig;
import io.tutti.kv.KvPool;
import io.tutti.modelio.weights.WeightSource;
import io.tutti.modelio.weights.Weights;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Runs a model on two devices a {@link Stage} at a time, since a program answers for its last results alone: each device's
 * output of one layer is its input of the next. So it is seen how a difference begins and grows, and no device holds more
 * than a layer's weights. Inside the first stage that differs, whose input is the same on both, shorter and shorter parts
 * of it show which op differs first; keys and values go to the cache unseen, and show in the attention that reads them.
 *
 * <p>What goes wrong only when all layers run in one program is not found here.
 */
public final class LayerComparison {

    /** Is told how far it has come, often enough to stop it by an exception. */
    @FunctionalInterface
    public interface Progress {

        /**
         * Stages so far.
         *
         * @param done stages done
         * @param total stages in all
         */
        void report(int done, int total);
    }

    /** One stage's output, {@code [tokens, width]}, on both devices. */
    public record StageResult(String stage, Comparison output) {}

    /**
     * The op that differs first.
     *
     * @param stage the stage it belongs to
     * @param op its kind, and its weight or what it writes
     * @param output its result on both devices
     */
    public record FirstDifference(String stage, String op, Comparison output) {}

    /**
     * What was found.
     *
     * @param stages in order; none after one whose output is not finite, which could not go on
     * @param first the first op that differs; empty if no stage differs, or the one that does has no such op when cut
     */
    public record Result(List<StageResult> stages, Optional<FirstDifference> first) {}

    private final Graph graph;
    private final List<Stage> stages;
    private final WeightSource weights;
    private final KvConfig pool;
    private final TokenSteps steps;

    private LayerComparison(Graph graph, WeightSource weights, KvConfig pool, TokenSteps steps) {
        this.graph = graph;
        stages = Stage.of(graph);
        this.weights = weights;
        this.pool = pool;
        this.steps = steps;
    }

    /**
     * Compares the model in {@code dir} over one sequence.
     *
     * @param engine cache, quantization, and tokens in a step
     * @param tokens the sequence
     * @throws io.tutti.modelio.ModelException if the model is refused
     */
    public static LayerComparison of(Path dir, EngineConfig engine, int[] tokens) {
        StoredModel model = StoredModel.open(dir);
        Weights stored = model.weights();
        Graph graph = model.config().with(stored).graph().with(engine.activations());
        WeightSource weights = engine.weights(stored, graph);
        KvConfig pool = new KvConfig(
                ModelRunner.blocksFor(tokens.length, engine.blockTokens()),
                engine.blockTokens(),
                1,
                graph.attention().map(Op.Attention::kvHeads).orElse(1),
                graph.attention().map(Op.Attention::headDim).orElse(1),
                engine.kvDtype(),
                false,
                "one layer");
        TokenSteps steps = new TokenSteps(tokens, engine.maxBatchTokens(), engine.blockTokens());
        return new LayerComparison(graph, weights, pool, steps);
    }

    /** Compares {@code other} with {@code reference}. */
    public Result run(Device reference, Device other, Progress progress) {
        List<StageResult> results = new ArrayList<>();
        Optional<FirstDifference> first = Optional.empty();
        boolean exact = true;
        float[] expectedInput = {};
        float[] actualInput = {};
        for (int i = 0; i < stages.size(); i++) {
            int done = i;
            LoadProgress loading = (_, _) -> progress.report(done, stages.size());
            Stage stage = stages.get(i);
            boolean goesOn = i + 1 < stages.size();
            try (Side expected = new Side(
                            reference, stage, expectedInput, stage.ops().size(), loading);
                    Side actual =
                            new Side(other, stage, actualInput, stage.ops().size(), loading)) {
                float[] expectedOutput = goesOn ? new float[steps.numbers(stage.out())] : null;
                float[] actualOutput = goesOn ? new float[steps.numbers(stage.out())] : null;
                Comparison output = compare(expected, actual, stage.out(), expectedOutput, actualOutput);
                results.add(new StageResult(stage.name(), output));
                if (exact && !output.exact()) {
                    exact = false;
                    first = firstDifference(reference, other, stage, expectedInput, loading);
                }
                if (!output.finite() || !Double.isFinite(output.largest())) {
                    break; // No weight, and so no input, may be other than finite.
                }
                expectedInput = expectedOutput;
                actualInput = actualOutput;
            }
            progress.report(i + 1, stages.size());
        }
        return new Result(results, first);
    }

    private Optional<FirstDifference> firstDifference(
            Device reference, Device other, Stage stage, float[] input, LoadProgress loading) {
        for (int n = 1; n <= stage.ops().size(); n++) {
            Op last = stage.ops().get(n - 1);
            for (Buffer written : Graph.written(last)) {
                try (Side expected = new Side(reference, stage, input, n, loading);
                        Side actual = new Side(other, stage, input, n, loading)) {
                    Comparison output = compare(expected, actual, written, null, null);
                    if (!output.exact()) {
                        return Optional.of(new FirstDifference(stage.name(), stage.nameOf(last), output));
                    }
                }
            }
        }
        return Optional.empty();
    }

    /** Compares one buffer at every token, and keeps it where there is room for it. */
    private Comparison compare(
            Side expected, Side actual, Buffer buffer, float[] expectedOutput, float[] actualOutput) {
        Comparison all = Comparison.EMPTY;
        int at = 0;
        for (StepInputs step : expected.stage.isFirst() ? steps.ofTokens() : steps.ofRows()) {
            float[] a = expected.run(step, buffer);
            float[] b = actual.run(step, buffer);
            all = all.and(Comparison.of(a, b));
            if (expectedOutput != null) {
                System.arraycopy(a, 0, expectedOutput, at, a.length);
                System.arraycopy(b, 0, actualOutput, at, b.length);
                at += a.length;
            }
        }
        return all;
    }

    /** A stage on one device. */
    private final class Side implements AutoCloseable {
        private final Stage stage;
        private final KvPool cache;
        private final Program program;

        /**
         * @param input the stage's input, {@code [tokens, width]}
         * @param ops how many of its ops run
         */
        Side(Device device, Stage stage, float[] input, int ops, LoadProgress loading) {
            this.stage = stage;
            cache = new KvPool(pool, () -> "", device.bufferBytes());
            try {
                Graph cut = stage.graph(graph, ops, steps.tokens());
                ProgramLimits limits = new ProgramLimits(steps.longest(), 1, steps.tokens());
                StageWeights own = new StageWeights(cut, stage, weights, input);
                Unsupported.requireNone(device, cut, own);
                program = device.compile(cut, own, cache, limits, loading);
            } catch (RuntimeException | Error e) {
                cache.close();
                throw e;
            }
        }

        float[] run(StepInputs step, Buffer buffer) {
            float[] numbers = new float[step.rows(buffer) * buffer.width()];
            program.run(step);
            program.read(buffer, numbers);
            return numbers;
        }

        @Override
        public void close() {
            try (cache) {
                program.close();
            }
        }
    }
}
