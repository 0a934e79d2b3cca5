package io.tutti.engine.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.graph.Activations;
import io.tutti.engine.model.StoredModel;
import io.tutti.engine.reference.ReferenceDevice;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvDtype;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.quantize.ModelQuantizer;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** int4 at load, from a file, and dequantized to f32: one model, the same bits. */
class Int4ModelsTest {

    @ParameterizedTest
    @EnumSource(KvDtype.class)
    void int4RunnerMatchesItsDequantizedModel(KvDtype kv) {
        EngineConfig config = EngineConfig.defaults().withKvDtype(kv);
        int[] tokens = new Model("tiny-int4").prompts().getLast().tokens();
        try (ModelRunner int4 = Runs.load(new Model("tiny-int4").dir(), config);
                ModelRunner twin = Runs.load(new Model("tiny-int4-f32").dir(), config)) {
            assertThat(int4.weightBytes()).isLessThan(twin.weightBytes());
            for (int chunk : new int[] {1, 250}) {
                assertThat(Runs.bits(Runs.logits(int4, tokens, chunk)))
                        .isEqualTo(Runs.bits(Runs.logits(twin, tokens, chunk)));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void quantizingAtLoadEqualsAQuantizedFile(int group, @TempDir Path out) {
        Model model = new Model("tiny-llama");
        int[] tokens = model.prompts().getLast().tokens();
        StoredModel stored = StoredModel.open(model.dir());
        Set<String> projections = stored.config().graph().projections();
        ModelQuantizer.quantize(
                model.dir(), stored.weights(), projections, out.resolve("int4"), group, (done, all) -> {});
        try (ModelRunner atLoad = Runs.load(model.dir(), EngineConfig.defaults().withQuantGroup(group));
                ModelRunner file = Runs.load(out.resolve("int4"), EngineConfig.defaults())) {
            assertThat(Runs.bits(Runs.logits(atLoad, tokens))).isEqualTo(Runs.bits(Runs.logits(file, tokens)));
        }
    }

    @ParameterizedTest
    @EnumSource(Activations.class)
    void aModelWithBiasesHasTheReferencesBitsInInt4Too(Activations activations) {
        Model model = new Model("qwen2-bf16-tied");
        int[] tokens = model.prompts().get(3).tokens();
        EngineConfig config = EngineConfig.defaults().withQuantGroup(4).withActivations(activations);
        try (ModelRunner host = Runs.load(model.dir(), config);
                ModelRunner reference =
                        ModelRunner.load(model.dir(), config, new ReferenceDevice(), LoadProgress.NONE)) {
            assertThat(Runs.bits(Runs.logits(host, tokens))).isEqualTo(Runs.bits(Runs.logits(reference, tokens)));
            assertThat(Runs.bits(Runs.logits(host, tokens, 1))).isEqualTo(Runs.bits(Runs.logits(reference, tokens)));
        }
    }

    @Test
    void aModelThatIsInt4AlreadyIsNotQuantizedAgain() {
        assertThatThrownBy(() -> Runs.load(
                        new Model("tiny-int4").dir(), EngineConfig.defaults().withQuantGroup(32)))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("int4");
    }
}
