package io.tutti.tornado;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.golden.Golden;
import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.golden.Golden.Prompt;
import io.tutti.engine.golden.Runs;
import io.tutti.engine.graph.Activations;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvDtype;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole models: every token's logits on the device are, bit for bit, the host's. */
class GoldenModelsOnDeviceTest {

    static Stream<Model> models() {
        return Golden.models();
    }

    @ParameterizedTest
    @MethodSource("models")
    void everyModelHasTheHostsLogits(Model model) {
        assertLogitsEqual(model, EngineConfig.defaults());
    }

    /** An embedding and weights of bf16 with one head of keys; f16 and wide heads; int4 from a file. */
    @ParameterizedTest
    @ValueSource(strings = {"mqa-bf16-tied", "gqa-f16-wide-heads", "tiny-int4"})
    void withAnF32CacheToo(String name) {
        assertLogitsEqual(new Model(name), EngineConfig.defaults().withKvDtype(KvDtype.F32));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void quantizedAtLoadToo(int group) {
        assertLogitsEqual(new Model("tiny-llama"), EngineConfig.defaults().withQuantGroup(group));
    }

    @ParameterizedTest
    @EnumSource(KvDtype.class)
    void int8ActivationsToo(KvDtype kv) {
        assertLogitsEqual(
                new Model("tiny-int4"), EngineConfig.defaults().withKvDtype(kv).withActivations(Activations.INT8));
    }

    /** Biases on products of int4, and on those of int8 activations. */
    @ParameterizedTest
    @EnumSource(Activations.class)
    void biasesOfQuantizedWeightsToo(Activations activations) {
        assertLogitsEqual(
                new Model("qwen3-biases-yarn-bf16"),
                EngineConfig.defaults().withQuantGroup(4).withActivations(activations));
    }

    private static void assertLogitsEqual(Model model, EngineConfig config) {
        try (ModelRunner host = Runs.load(model.dir(), config);
                ModelRunner device = OnDevice.load(model.dir(), config)) {
            for (Prompt prompt : model.prompts()) {
                int[] want = Runs.bits(Runs.logits(host, prompt.tokens()));
                assertThat(Runs.bits(Runs.logits(device, prompt.tokens())))
                        .as("prompt %d", prompt.index())
                        .isEqualTo(want);
            }
        }
    }
}
