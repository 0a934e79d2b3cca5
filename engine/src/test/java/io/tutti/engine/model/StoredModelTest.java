package io.tutti.engine.model;

import static io.tutti.engine.model.Configs.config;
import static io.tutti.modelio.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.graph.GraphFacts;
import io.tutti.modelio.Golden;
import io.tutti.modelio.Models;
import io.tutti.modelio.safetensors.Checkpoint;
import io.tutti.modelio.weights.Weights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredModelTest {
    @TempDir
    Path dir;

    @Test
    void theHeadersAreReadOnceForAllWhoAsk() throws IOException {
        for (String name : new String[] {"config.json", "model.safetensors"}) {
            Files.copy(Golden.model("tiny-llama").resolve(name), dir.resolve(name));
        }
        StoredModel stored = StoredModel.open(dir);
        Checkpoint first = stored.checkpoint();
        Files.delete(dir.resolve("model.safetensors"));

        assertThat(stored.checkpoint()).isSameAs(first);
        assertThat(stored.weights().checkpoint()).isSameAs(first);
    }

    @Test
    void eachTakerOfWeightsHasItsOwnAccountOfThem() {
        StoredModel stored = StoredModel.open(Golden.model("tiny-llama"));
        int all = stored.weights().unusedNames().size();
        Weights taken = stored.weights();
        taken.vector("model.norm.weight", new GraphFacts(stored.config().graph()).hidden());

        assertThat(taken.unusedNames()).hasSize(all - 1);
        assertThat(stored.weights().unusedNames()).hasSize(all);
    }

    @Test
    void whatIsWrongWithTheWeightsIsToldToEverybodyWhoAsks() {
        StoredModel stored = new StoredModel(dir, config(dir, Models.CONFIG));

        assertRefused(stored::checkpoint, "has no model.safetensors");
        assertRefused(stored::weights, "has no model.safetensors");
    }

    @Test
    void theTiedTensorsAreComparedOnceForAllWhoAsk() {
        StoredModel stored = StoredModel.open(Golden.model("tied-other-head-bf16"));

        assertThat(stored.config().tieWordEmbeddings()).isTrue();
        assertThat(stored.weights().head()).isSameAs(stored.weights().head());
        assertThat(stored.config().with(stored.weights()).tieWordEmbeddings()).isFalse();
        StoredModel equal = StoredModel.open(Golden.model("tied-with-head-f16"));
        assertThat(equal.config().with(equal.weights()).tieWordEmbeddings()).isTrue();
    }
}
