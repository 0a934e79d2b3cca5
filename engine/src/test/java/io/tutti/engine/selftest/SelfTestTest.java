package io.tutti.engine.selftest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.backend.Verdict;
import io.tutti.engine.backend.Verdict.Approximate;
import io.tutti.engine.backend.Verdict.Broken;
import io.tutti.engine.backend.Verdict.Exact;
import io.tutti.engine.graph.Activations;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Op;
import io.tutti.engine.reference.ReferenceDevice;
import io.tutti.engine.selftest.RandomWeights.Stored;
import io.tutti.kv.KvDtype;
import io.tutti.kv.KvPool;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.weights.DenseWeight;
import io.tutti.modelio.weights.Weight;
import io.tutti.modelio.weights.WeightFormat;
import io.tutti.modelio.weights.WeightSource;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class SelfTestTest {

    @Test
    void theHostIsExact() {
        assertThat(SelfTest.run(Devices.all(new BackendOptions(2)).getFirst())).isEqualTo(new Exact());
    }

    @Test
    void theCasesHaveEveryOpWithEveryWayOfStoringWeightsAndBothCaches() {
        Set<Class<?>> ops = new HashSet<>();
        Set<Stored> tables = EnumSet.noneOf(Stored.class);
        Set<Stored> longSums = EnumSet.noneOf(Stored.class);
        Set<Activations> withInt4 = EnumSet.noneOf(Activations.class);
        Set<Stored> biased = EnumSet.noneOf(Stored.class);
        Set<Activations> biasedActivations = EnumSet.noneOf(Activations.class);
        Set<Boolean> windows = new HashSet<>();
        for (Case small : Case.all()) {
            small.graph().forEachInOrder((op, layer) -> {
                ops.add(op.getClass());
                if (op instanceof Op.Embed embed) {
                    tables.add(small.weights().stored(embed.table().name(layer)));
                }
                if (op instanceof Op.Attention attention) {
                    windows.add(attention.window() == Op.Attention.WHOLE_CONTEXT);
                }
                if (op instanceof Op.MatMul matMul && matMul.bias().isPresent()) {
                    biased.add(small.weights().stored(matMul.weight().name(layer)));
                    biasedActivations.add(matMul.activations());
                }
                if (op instanceof Op.MatMul matMul && matMul.weight().cols() > 256) {
                    Stored stored = small.weights().stored(matMul.weight().name(layer));
                    longSums.add(stored);
                    if (stored == Stored.INT4) {
                        withInt4.add(matMul.activations());
                    }
                }
            });
        }
        assertThat(ops).containsExactlyInAnyOrder(Op.class.getPermittedSubclasses());
        assertThat(tables).containsExactly(Stored.F32, Stored.F16, Stored.BF16);
        assertThat(withInt4).containsExactly(Activations.values());
        assertThat(longSums).containsExactly(Stored.values());
        assertThat(biased).containsExactly(Stored.values());
        assertThat(biasedActivations).containsExactly(Activations.values());
        assertThat(windows).containsExactlyInAnyOrder(true, false);
        assertThat(Case.all()).extracting(small -> small.pool().dtype()).contains(KvDtype.values());
        assertThat(Case.all())
                .flatExtracting(Case::steps)
                .anySatisfy(step -> assertThat(step.positionsEnd()).isGreaterThan(256));
    }

    /** A device's kernels branch on such sizes, and code that no case has run is not to be called exact. */
    @Test
    void theCasesHaveEverySizeThatKernelsTakeOtherCodeFor() {
        Set<Stored> manySegments = EnumSet.noneOf(Stored.class);
        Set<Integer> groups = new HashSet<>();
        Set<Integer> groupsOfInt8 = new HashSet<>();
        Map<KvDtype, Set<Integer>> queries = new EnumMap<>(KvDtype.class);
        for (Case small : Case.all()) {
            small.graph().forEachInOrder((op, layer) -> {
                if (op instanceof Op.MatMul matMul) {
                    int cols = matMul.weight().cols();
                    String name = matMul.weight().name(layer);
                    if (cols > 6 * 256) {
                        manySegments.add(small.weights().stored(name));
                    }
                    if (small.weights().format(name, matMul.weight().rows(), cols)
                            instanceof WeightFormat.Int4(int group)) {
                        (matMul.activations() == Activations.INT8 ? groupsOfInt8 : groups).add(group);
                    }
                }
                if (op instanceof Op.Attention attention) {
                    int left = attention.heads() / attention.kvHeads();
                    for (; left > 0; left -= 4) {
                        queries.computeIfAbsent(small.pool().dtype(), _ -> new TreeSet<>())
                                .add(Math.min(left, 4));
                    }
                }
            });
            assertThat(small.pool().blockTokens()).isGreaterThan(16);
            assertThat(small.pool().blockTokens() % 16).isPositive();
        }
        assertThat(manySegments).containsExactly(Stored.values());
        assertThat(groups).containsExactlyInAnyOrder(12, 32);
        assertThat(groupsOfInt8).containsExactlyInAnyOrder(12, 32);
        for (KvDtype dtype : KvDtype.values()) {
            assertThat(queries.get(dtype))
                    .as("query heads taken at once, %s cache", dtype)
                    .containsExactly(1, 2, 3, 4);
        }
    }

    @Test
    void aDeviceThatRoundsOtherwiseIsApproximateAndTheOpIsNamed() {
        Verdict verdict = SelfTest.run(new Flawed(graph -> withEps(graph, 1.001e-5f), FloatEdit.NONE));
        assertThat(verdict).isInstanceOfSatisfying(Approximate.class, found -> {
            assertThat(found.where()).isEqualTo("RmsNorm, f16 cache");
            assertThat(found.differing()).isPositive().isLessThanOrEqualTo(found.compared());
            assertThat(found.largestDifference()).isPositive().isLessThan(1e-2);
        });
        assertThat(verdict.text()).startsWith("approximate: RmsNorm, ");
    }

    @Test
    void aFlawOutsideTheLayersIsNamedToo() {
        Verdict verdict = SelfTest.run(new Flawed(
                graph -> new Graph(
                        graph.prologue(),
                        graph.kinds(),
                        graph.layers(),
                        withAnotherNorm(graph.epilogue()),
                        graph.hidden(),
                        graph.logits()),
                FloatEdit.NONE));
        assertThat(verdict.text()).contains("RmsNorm, ");
    }

    /** The final norm with another epsilon. */
    private static List<Op> withAnotherNorm(List<Op> epilogue) {
        return epilogue.stream()
                .map(op ->
                        op instanceof Op.RmsNorm norm ? new Op.RmsNorm(norm.in(), norm.scale(), 1e-3f, norm.out()) : op)
                .toList();
    }

    /** The same graph with another epsilon in every norm: a difference of the size of rounding. */
    private static Graph withEps(Graph graph, float eps) {
        return graph.with(
                op -> op instanceof Op.RmsNorm norm ? new Op.RmsNorm(norm.in(), norm.scale(), eps, norm.out()) : op);
    }

    @Test
    void aDeviceThatMissesWhatLlamasRelativesAddIsFound() {
        assertThat(found(op -> op instanceof Op.MatMul m
                        ? new Op.MatMul(m.in(), m.weight(), Optional.empty(), m.activations(), m.out())
                        : op))
                .contains("MatMul of bf16 weights with a bias, biases");
        assertThat(found(op -> op instanceof Op.HeadNorm n ? new Op.HeadNorm(n.x(), n.heads(), n.scale(), 1e-3f) : op))
                .contains("HeadNorm, biases");
        assertThat(found(op -> op instanceof Op.Attention a && a.window() != Op.Attention.WHOLE_CONTEXT
                        ? new Op.Attention(a.q(), a.heads(), a.kvHeads(), a.headDim(), a.window() - 1, a.out())
                        : op))
                .contains("Attention, biases");
    }

    /** What is said of a device that runs other ops in the layers. */
    private static String found(UnaryOperator<Op> flaw) {
        return SelfTest.run(new Flawed(graph -> graph.with(flaw), FloatEdit.NONE))
                .text();
    }

    @Test
    void aFlawInOneWayOfStoringWeightsIsNamed() {
        Device flawed = new Flawed(UnaryOperator.identity(), FloatEdit.NONE) {
            @Override
            public Program compile(
                    Graph graph, WeightSource weights, KvPool pool, ProgramLimits limits, LoadProgress progress) {
                return super.compile(graph, new AnotherF16(weights), pool, limits, progress);
            }
        };
        assertThat(SelfTest.run(flawed).text()).startsWith("approximate: MatMul of f16 weights, f16 cache; ");
    }

    /** The weights, with another lowest bit in each f16. */
    private record AnotherF16(WeightSource source) implements WeightSource {
        @Override
        public Weight matrix(String name, int rows, int cols) {
            Weight weight = source.matrix(name, rows, cols);
            if (weight instanceof DenseWeight dense && dense.dtype() == Dtype.F16) {
                MemorySegment data = dense.data();
                for (long at = 0; at < data.byteSize(); at += Short.BYTES) {
                    data.set(ValueLayout.JAVA_BYTE, at, (byte) (data.get(ValueLayout.JAVA_BYTE, at) ^ 1));
                }
            }
            return weight;
        }

        @Override
        public float[] vector(String name, int size) {
            return source.vector(name, size);
        }
    }

    @Test
    void aDeviceThatFlushesSubnormalsIsNotExact() {
        Verdict verdict = SelfTest.run(
                new Flawed(UnaryOperator.identity(), x -> Math.abs(x) < Float.MIN_NORMAL ? Math.copySign(0f, x) : x));
        assertThat(verdict).isInstanceOf(Approximate.class);
    }

    @Test
    void aDeviceThatComputesSomethingElseIsBroken() {
        assertThat(SelfTest.run(new Flawed(UnaryOperator.identity(), x -> x * 1.5f)))
                .isInstanceOf(Broken.class);
        assertThat(SelfTest.run(new Flawed(UnaryOperator.identity(), x -> Float.NaN)))
                .isInstanceOf(Broken.class);
    }

    @Test
    void aDeviceThatFailsIsBrokenAndSaysWhy() {
        Device failing = new Flawed(
                graph -> {
                    throw new IllegalStateException("no such kernel\nat somewhere");
                },
                FloatEdit.NONE);
        assertThat(SelfTest.run(failing)).isEqualTo(new Broken("no such kernel (IllegalStateException)"));
    }

    private interface FloatEdit {
        FloatEdit NONE = x -> x;

        float edit(float x);
    }

    /** The reference with a flaw: in the graph that it runs, or in what is read from it. */
    private static class Flawed implements Device {
        private final UnaryOperator<Graph> graphFlaw;
        private final FloatEdit readFlaw;

        Flawed(UnaryOperator<Graph> graphFlaw, FloatEdit readFlaw) {
            this.graphFlaw = graphFlaw;
            this.readFlaw = readFlaw;
        }

        @Override
        public String name() {
            return "flawed";
        }

        @Override
        public DeviceKind kind() {
            return DeviceKind.GPU;
        }

        @Override
        public String description() {
            return "flawed";
        }

        @Override
        public String driver() {
            return "none";
        }

        @Override
        public long memoryBytes() {
            return 1 << 30;
        }

        @Override
        public List<String> properties() {
            return List.of();
        }

        @Override
        public Program compile(
                Graph graph, WeightSource weights, KvPool pool, ProgramLimits limits, LoadProgress progress) {
            Program program = new ReferenceDevice().compile(graphFlaw.apply(graph), weights, pool, limits, progress);
            return new Program() {
                @Override
                public void run(StepInputs step) {
                    program.run(step);
                }

                @Override
                public void read(Buffer buffer, float[] out) {
                    program.read(buffer, out);
                    for (int i = 0; i < out.length; i++) {
                        out[i] = readFlaw.edit(out[i]);
                    }
                }

                @Override
                public long weightBytes() {
                    return program.weightBytes();
                }

                @Override
                public void close() {
                    program.close();
                }
            };
        }
    }
}
