package io.tutti.engine.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.graph.Activations;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.model.StoredModel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WarmUpTest {

    private static final int ROUNDS = 2;

    /** Each kind of weight, cache block, variant and position; a failure would go unseen in the thread. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "tiny-llama",
                "tiny-int4",
                "gqa-f16-wide-heads",
                "sharded-mixed",
                "qwen3-biases-yarn-bf16",
                "mistral-window-bf16",
                "bare-f32"
            })
    void everyKindOfModelRunsSmall(String name) {
        assertThat(rounds(name, EngineConfig.defaults())).isEqualTo(ROUNDS);
        assertThat(rounds(name, EngineConfig.defaults().withBlockTokens(7))).isEqualTo(ROUNDS);
    }

    @Test
    void soDoInt4WeightsThatMeetInt8Activations() {
        assertThat(rounds("tiny-int4", EngineConfig.defaults().withActivations(Activations.INT8)))
                .isEqualTo(ROUNDS);
        assertThat(rounds(
                        "tiny-llama", EngineConfig.defaults().withQuantGroup(4).withActivations(Activations.INT8)))
                .isEqualTo(ROUNDS);
    }

    @Test
    void aBigramHasNothingToWarm() {
        assertThat(rounds("bigram", EngineConfig.defaults())).isZero();
    }

    @Test
    @Timeout(60)
    void itEndsWhenToldSo() {
        StoredModel model = StoredModel.open(new Model("tiny-llama").dir());
        try (WarmUp warmUp = WarmUp.begin(model, EngineConfig.defaults())) {
            warmUp.end();
            warmUp.end();
        }
    }

    @Test
    @Timeout(60)
    void aModelThatCannotBeReadIsForOthersToTell(@TempDir Path empty) {
        ModelConfig config = ModelConfig.load(new Model("tiny-llama").dir());
        WarmUp.begin(new StoredModel(empty, config), EngineConfig.defaults()).close();
        WarmUp.none().close();
    }

    private static int rounds(String name, EngineConfig engine) {
        StoredModel model = StoredModel.open(new Model(name).dir());
        int[] asked = new int[1];
        return WarmUp.run(model, engine, () -> asked[0]++ == ROUNDS);
    }
}
