package io.tutti.engine.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.model.StoredModel;
import io.tutti.modelio.weights.Weight;
import io.tutti.modelio.weights.WeightFormat;
import io.tutti.modelio.weights.WeightSource;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HostWeightsTest {

    private final StoredModel stored = StoredModel.open(new Model("tiny-llama").dir());
    private final ModelConfig config = stored.config();

    @Test
    void everyWeightIsThereAndToldOf() {
        List<Integer> told = new ArrayList<>();
        try (Workers workers = new Workers(3);
                Arena arena = Arena.ofShared()) {
            HostWeights weights = load(stored.weights(), workers, arena, (done, total) -> told.add(done));
            var names = config.graph().weights();
            assertThat(told)
                    .isEqualTo(IntStream.rangeClosed(1, names.size()).boxed().toList());
            long[] bytes = {0};
            names.forEach((name, weight) -> bytes[0] += weight instanceof io.tutti.engine.graph.Weight.Matrix
                    ? weights.matrix(name).bytes()
                    : weights.vector(name).length * (long) Float.BYTES);
            assertThat(weights.bytes()).isEqualTo(bytes[0]);
        }
    }

    /** However the workers share the matrices, what is refused is the first, and before memory is had for any. */
    @Test
    void ofSeveralMatricesThatAreRefusedItIsTheFirst() {
        WeightSource source = new WeightSource() {
            private final WeightSource good = stored.weights();

            @Override
            public Weight matrix(String name, int rows, int cols) {
                return good.matrix(name, rows, cols);
            }

            @Override
            public WeightFormat format(String name, int rows, int cols) {
                return good.format(name, rows, name.contains("_proj") ? cols + 1 : cols);
            }

            @Override
            public float[] vector(String name, int size) {
                return good.vector(name, size);
            }
        };
        for (int i = 0; i < 20; i++) {
            try (Workers workers = new Workers(4);
                    Arena arena = Arena.ofShared()) {
                assertThatThrownBy(() -> load(source, workers, arena, LoadProgress.NONE))
                        .hasMessageContaining("\"model.layers.0.self_attn.q_proj.weight\"");
            }
        }
    }

    private HostWeights load(WeightSource source, Workers workers, Arena arena, LoadProgress progress) {
        return new HostWeights(config.graph().weights(), source, workers, arena, progress);
    }
}
