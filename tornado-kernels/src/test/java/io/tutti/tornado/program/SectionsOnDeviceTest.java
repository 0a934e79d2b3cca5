package io.tutti.tornado.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.golden.Golden.Prompt;
import io.tutti.engine.golden.Runs;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.engine.selftest.SelfTest;
import io.tutti.engine.selftest.Verdict;
import io.tutti.kv.KvPart;
import io.tutti.kv.KvRegion;
import io.tutti.modelio.weights.Weights;
import io.tutti.tornado.ChangedDevice;
import io.tutti.tornado.OnDevice;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import uk.ac.manchester.tornado.api.enums.TornadoVMBackendType;

/** However a model is cut into task graphs, and however its kernels are laid over the device, the bits are the host's. */
class SectionsOnDeviceTest {

    /** Room for the gate and up projections of two of the demo model's layers, and for its embedding. */
    private static final long BUFFER_BYTES = 900_000;
    /** With 16 positions a block, keys of three of its layers fit such a buffer. */
    private static final int KV_BLOCKS = 130;

    @ParameterizedTest
    @EnumSource(Mapping.class)
    void aModelWhoseWeightsAndCacheTakeSeveralBuffersHasTheHostsBits(Mapping mapping) {
        assumeRuns(mapping);
        Model model = new Model("demo");
        EngineConfig config = EngineConfig.defaults().withKvBlocks(KV_BLOCKS).withMaxBatchTokens(16);
        ChangedDevice small = ChangedDevice.same().withMapping(mapping).withBufferBytes(BUFFER_BYTES);
        try (ModelRunner host = Runs.load(model.dir(), config);
                ModelRunner device = small.load(model.dir(), config)) {
            assertThat(device.pool().regions(KvPart.V))
                    .extracting(KvRegion::layers)
                    .containsExactly(3, 2);
            List<Section> sections = new SectionPlan(
                            device.config().graph(),
                            Weights.open(model.dir(), device.config().head()),
                            device.pool(),
                            small.target().limits())
                    .sections();
            assertThat(sections)
                    .extracting(Section::name)
                    .containsExactly("prologue", "layers0", "layers2", "layers3", "epilogue");
            assertSameLogits(model, device, host);
        }
    }

    private static final List<String> MODELS = List.of(
            "demo",
            "sharded-mixed",
            "tiny-int4",
            "linear-rope-biases-f16",
            "mistral-window-bf16",
            "mistral-long-window-f16",
            "qwen3-biases-yarn-bf16");

    @ParameterizedTest
    @EnumSource(Mapping.class)
    void howeverKernelsAreLaidOverTheDeviceTheBitsAreTheHosts(Mapping mapping) {
        assumeRuns(mapping);
        EngineConfig config = EngineConfig.defaults();
        for (String name : MODELS) {
            Model model = new Model(name);
            try (ModelRunner host = Runs.load(model.dir(), config);
                    ModelRunner device =
                            ChangedDevice.same().withMapping(mapping).load(model.dir(), config)) {
                assertSameLogits(model, device, host);
            }
        }
    }

    /** Its cases have heads in whole tiles, which kernels in OpenCL C normalize and turn as they attend. */
    @ParameterizedTest
    @EnumSource(Mapping.class)
    void howeverKernelsAreLaidOverTheDeviceTheSelfTestPasses(Mapping mapping) {
        assumeRuns(mapping);
        assertThat(SelfTest.run(ChangedDevice.same().withMapping(mapping))).isEqualTo(new Verdict.Exact());
    }

    private static void assumeRuns(Mapping mapping) {
        assumeTrue(
                mapping != Mapping.VECTORS || OnDevice.target().backend() == TornadoVMBackendType.OPENCL,
                "OpenCL C is OpenCL's alone");
    }

    private static void assertSameLogits(Model model, ModelRunner device, ModelRunner host) {
        for (Prompt prompt : model.prompts()) {
            int[] want = Runs.bits(Runs.logits(host, prompt.tokens()));
            assertThat(Runs.bits(Runs.logits(device, prompt.tokens())))
                    .as("prompt %d", prompt.index())
                    .isEqualTo(want);
            assertThat(Runs.bits(Runs.logits(device, prompt.tokens(), 1)))
                    .as("prompt %d, token by token", prompt.index())
                    .isEqualTo(want);
        }
    }
}
