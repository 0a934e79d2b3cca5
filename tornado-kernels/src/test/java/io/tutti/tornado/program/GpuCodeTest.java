package io.tutti.tornado.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.engine.backend.DeviceException;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Op;
import io.tutti.engine.model.Decoder;
import io.tutti.engine.model.DecoderKeys;
import io.tutti.engine.model.Rotary;
import io.tutti.kv.KvConfig;
import io.tutti.kv.KvDtype;
import io.tutti.kv.KvPool;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.weights.WeightFormat;
import io.tutti.tornado.config.CompilerFlags;
import io.tutti.tornado.opencl.GpuFaults;
import io.tutti.tornado.opencl.KernelSource;
import io.tutti.tornado.opencl.VirtualDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import uk.ac.manchester.tornado.api.enums.TornadoVMBackendType;

/** The code that a GPU would be given for programs of real models' sizes; no GPU is needed. */
class GpuCodeTest {

    private static final int BLOCK_TOKENS = 16;
    private static final int BLOCKS = 64;
    private static final int CONTEXT = BLOCKS * BLOCK_TOKENS;
    private static final int MOST_TOKENS = 64;

    /** Only memory depends on it. */
    private static final int VOCAB = 1024;

    private static List<KernelSource> kernels;

    @BeforeAll
    static void generate() {
        VirtualDevice device = new VirtualDevice();
        Graph smolLm2 = llama(576, 1536, 9, 3, 64);
        Graph llama3 = llama(4096, 14336, 32, 8, 128);
        Graph relative = relative(1024, 3072, 16, 8, 128);
        WeightFormat f32 = new WeightFormat.Dense(Dtype.F32);
        WeightFormat f16 = new WeightFormat.Dense(Dtype.F16);
        WeightFormat bf16 = new WeightFormat.Dense(Dtype.BF16);
        WeightFormat int4 = new WeightFormat.Int4(64);
        kernels = Stream.of(
                        generated(device, smolLm2, new ZeroWeights(bf16, bf16), KvDtype.F16),
                        generated(device, smolLm2, new ZeroWeights(f32, f32), KvDtype.F32),
                        generated(device, llama3, new ZeroWeights(int4, f16), KvDtype.F16),
                        generated(device, relative, new ZeroWeights(bf16, bf16), KvDtype.F16))
                .map(KernelSource::parse)
                .flatMap(List::stream)
                .toList();
    }

    private static Decoder decoder(int hidden, int intermediate, int heads, int kvHeads, int headDim) {
        Rotary rope = new Rotary(10_000, CONTEXT);
        return new Decoder(new DecoderKeys(VOCAB, hidden, intermediate, 1, heads, kvHeads, headDim, 1e-5f, rope));
    }

    private static Graph llama(int hidden, int intermediate, int heads, int kvHeads, int headDim) {
        Decoder d = decoder(hidden, intermediate, heads, kvHeads, headDim);
        return d.graph(
                false,
                _ -> Decoder.layer(
                        d.norm("input_layernorm"),
                        d.projections(d.normed(), false),
                        d.rotary(),
                        d.attention(Op.Attention.WHOLE_CONTEXT),
                        d.output(false),
                        d.residual(),
                        d.norm("post_attention_layernorm"),
                        d.mlp(d.normed(), false),
                        d.residual()));
    }

    /** With all that Llama's relatives add. */
    private static Graph relative(int hidden, int intermediate, int heads, int kvHeads, int headDim) {
        Decoder d = decoder(hidden, intermediate, heads, kvHeads, headDim);
        return d.graph(
                false,
                _ -> Decoder.layer(
                        d.norm("input_layernorm"),
                        d.projections(d.normed(), true),
                        d.headNorms(),
                        d.rotary(),
                        d.attention(300),
                        d.output(true),
                        d.residual(),
                        d.norm("post_attention_layernorm"),
                        d.mlp(d.normed(), true),
                        d.residual()));
    }

    /** Compiles a program for the device, which runs nothing: so the program's own check of that is as far as it comes. */
    private static String generated(VirtualDevice device, Graph graph, ZeroWeights weights, KvDtype cache) {
        Op.Attention attention = graph.attention().orElseThrow();
        KvConfig shape = new KvConfig(
                BLOCKS, BLOCK_TOKENS, 1, attention.kvHeads(), attention.headDim(), cache, false, "virtual");
        Target target = new Target(
                device.device(),
                TornadoVMBackendType.OPENCL,
                Mapping.LANES,
                new DeviceLimits("virtual", Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE),
                Optional.of(CompilerFlags.openCl(true)));
        ProgramLimits limits = new ProgramLimits(MOST_TOKENS, 1, CONTEXT);
        return device.generatedBy(() -> {
            try (KvPool pool = new KvPool(shape)) {
                assertThatThrownBy(() ->
                                new TornadoProgram(graph, weights, pool, limits, target, 1, LoadProgress.NONE).close())
                        .isInstanceOf(DeviceException.class)
                        .hasStackTraceContaining("checkLaunches");
            }
        });
    }

    @Test
    void everyKernelOfALayerIsThere() {
        assertThat(kernels)
                .extracting(KernelSource::name)
                .contains(
                        "f32",
                        "f16",
                        "halves",
                        "nibbles",
                        "rows",
                        "pairs",
                        "heads",
                        "swiGlu",
                        "selectOutputs",
                        "floats");
        assertThat(kernels.stream().filter(GpuCodeTest::isMatMul)).hasSizeGreaterThanOrEqualTo(20);
    }

    @Test
    void noKernelComputesWithDoubles() {
        assertNone(_ -> true, GpuFaults::doubles);
    }

    @Test
    void everyKernelsLocalMemoryFits() {
        assertNone(_ -> true, GpuFaults::localMemory);
    }

    @Test
    void privateArraysStayInRegisters() {
        assertNone(_ -> true, GpuFaults::spills);
    }

    @Test
    void noSumOfAProductIsRoundedTwice() {
        assertNone(_ -> true, GpuFaults::unfused);
        // Matrix products fuse for 4 tokens side by side and for 1; the others wherever they ask for it.
        assertThat(kernels.stream().filter(GpuCodeTest::isMatMul)).allMatch(kernel -> fused(kernel) >= 5);
        assertThat(kernels.stream().filter(kernel -> kernel.has("eps"))).allMatch(kernel -> fused(kernel) >= 1);
        assertThat(kernels.stream().filter(kernel -> kernel.has("angles"))).allMatch(kernel -> fused(kernel) == 2);
        assertThat(kernels.stream().filter(kernel -> kernel.has("capacity"))).allMatch(kernel -> fused(kernel) >= 12);
        assertThat(kernels.stream().filter(kernel -> kernel.name().equals("swiGlu")))
                .allMatch(kernel -> fused(kernel) >= 10);
    }

    @Test
    void weightsAreReadCoalesced() {
        assertNone(GpuCodeTest::isMatMul, kernel -> GpuFaults.scattered(kernel, "weights"));
        assertNone(kernel -> isMatMul(kernel) && kernel.has("scales"), kernel -> GpuFaults.scattered(kernel, "scales"));
    }

    @Test
    void activationsAreReadCoalescedOrByAllLanesAtOnce() {
        Predicate<KernelSource> elementwise =
                kernel -> kernel.has("xAt") || kernel.has("gateAt") || kernel.has("angles");

        assertNone(
                elementwise.or(GpuCodeTest::isMatMul), kernel -> GpuFaults.neitherCoalescedNorShared(kernel, "values"));
    }

    private static boolean isMatMul(KernelSource kernel) {
        return kernel.has("weights");
    }

    private static long fused(KernelSource kernel) {
        return kernel.lines().stream().filter(line -> line.contains("fma(")).count();
    }

    /** @param faults of a kernel */
    private static void assertNone(Predicate<KernelSource> which, Function<KernelSource, List<String>> faults) {
        List<String> found = new ArrayList<>();
        List<KernelSource> chosen = kernels.stream().filter(which).toList();
        for (KernelSource kernel : chosen) {
            faults.apply(kernel).forEach(fault -> found.add(kernel.name() + kernel.parameters() + ": " + fault));
        }
        assertThat(chosen).isNotEmpty();
        assertThat(found).isEmpty();
    }
}
