package io.tutti.engine.selftest;

import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.backend.Reason;
import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.backend.Unsupported;
import io.tutti.engine.backend.Verdict;
import io.tutti.engine.backend.Verdict.Approximate;
import io.tutti.engine.backend.Verdict.Broken;
import io.tutti.engine.backend.Verdict.Exact;
import io.tutti.engine.graph.Activations;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
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
import io.tutti.engine.graph.Weight;
import io.tutti.engine.reference.ReferenceDevice;
import io.tutti.engine.selftest.RandomWeights.Stored;
import io.tutti.kv.KvPool;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Runs small graphs with random weights on a device and on the reference, and compares the bits of hidden states and
 * logits: every op, each way of storing weights, both kinds of
 * activations, both cache types. Where bits differ, the graph is cut shorter and shorter to find the op
 * that differs first.
 */
public final class SelfTest {

    /** Beyond this share of the largest number it is no rounding that differs. */
    private static final double ROUNDING = 1e-2;

    private SelfTest() {}

    /** What {@code device} makes of the cases. Never throws for what the device does. */
    public static Verdict run(Device device) {
        try {
            for (Case small : Case.all()) {
                Comparison found = compare(small, small.graph(), device);
                if (!found.exact()) {
                    return verdict(small, found, device);
                }
            }
            return new Exact();
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            return new Broken(Reason.of(e));
        }
    }

    private static Verdict verdict(Case small, Comparison found, Device device) {
        String where = firstDifference(small, device).map(op -> op + ", ").orElse("") + small.name();
        if (found.relative() > ROUNDING) {
            return new Broken("%s: %d of %d numbers differ, by %.1e of the largest at most"
                    .formatted(where, found.differing(), found.compared(), found.relative()));
        }
        return new Approximate(where, found.relative(), found.differing(), found.compared());
    }

    private static Comparison compare(Case small, Graph graph, Device device) {
        Comparison all = Comparison.EMPTY;
        try (Run expected = new Run(small, graph, new ReferenceDevice());
                Run actual = new Run(small, graph, device)) {
            for (StepInputs step : small.steps()) {
                expected.program.run(step);
                actual.program.run(step);
                for (Buffer buffer : graph.results()) {
                    all = all.and(Comparison.of(expected.read(buffer, step), actual.read(buffer, step)));
                }
            }
        }
        return all;
    }

    /** A program with a pool of its own. */
    private static final class Run implements AutoCloseable {
        private final KvPool pool;
        private final Program program;

        Run(Case small, Graph graph, Device device) {
            pool = new KvPool(small.pool());
            try {
                ProgramLimits limits =
                        new ProgramLimits(small.mostTokens(), small.mostSequences(), small.mostPositions());
                Unsupported.requireNone(device, graph, small.weights());
                program = device.compile(graph, small.weights(), pool, limits, LoadProgress.NONE);
            } catch (RuntimeException | Error e) {
                pool.close();
                throw e;
            }
        }

        float[] read(Buffer buffer, StepInputs step) {
            float[] numbers = new float[step.rows(buffer) * buffer.width()];
            program.read(buffer, numbers);
            return numbers;
        }

        @Override
        public void close() {
            try (pool) {
                program.close();
            }
        }
    }

    /** The first op whose result differs, if a shorter graph shows it. */
    private static Optional<String> firstDifference(Case small, Device device) {
        Graph whole = small.graph();
        List<Op> ops = new ArrayList<>();
        whole.forEachInOrder((op, _) -> ops.add(op));
        for (int n = 1; n <= ops.size(); n++) {
            Graph cut = whole.prefix(n);
            if (!cut.results().isEmpty() && !compare(small, cut, device).exact()) {
                return Optional.of(text(ops.get(n - 1), small.weights()));
            }
        }
        return Optional.empty();
    }

    /** An op as the verdict names it: {@code Rope}, or {@code MatMul of int4 weights}. */
    private static String text(Op op, RandomWeights weights) {
        String name = op.getClass().getSimpleName();
        return switch (op) {
            case Embed e -> name + of(e.table(), weights);
            case MatMul m ->
                name
                        + of(m.weight(), weights)
                        + (takesInt8(m, weights) ? " and int8 activations" : "")
                        + (m.bias().isPresent() ? " with a bias" : "");
            case RmsNorm _, HeadNorm _, Rope _, WriteKv _, Attention _, SwiGlu _, Add _, SelectOutputs _ -> name;
        };
    }

    private static boolean takesInt8(MatMul op, RandomWeights weights) {
        return op.activations() == Activations.INT8 && stored(op.weight(), weights) == Stored.INT4;
    }

    private static String of(Weight.Matrix matrix, RandomWeights weights) {
        return " of " + stored(matrix, weights).name().toLowerCase(Locale.ROOT) + " weights";
    }

    private static Stored stored(Weight.Matrix matrix, RandomWeights weights) {
        return weights.stored(matrix.name(OptionalInt.of(0)));
    }
}
