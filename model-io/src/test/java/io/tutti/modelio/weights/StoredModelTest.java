package io.tutti.modelio.weights;

import static io.tutti.modelio.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.modelio.Golden;
import io.tutti.modelio.Models;
import io.tutti.modelio.safetensors.Checkpoint;
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
        taken.vector("model.norm.weight", stored.config().hiddenSize());

        assertThat(taken.unusedNames()).hasSize(all - 1);
        assertThat(stored.weights().unusedNames()).hasSize(all);
    }

    @Test
    void whatIsWrongWithTheWeightsIsToldToEverybodyWhoAsks() {
        StoredModel stored = new StoredModel(dir, Models.config(dir, Models.CONFIG));

        assertRefused(stored::checkpoint, "has no model.safetensors");
        assertRefused(stored::weights, "has no model.safetensors");
    }
}
