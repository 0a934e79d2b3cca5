package io.tutti.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Op.Attention;
import io.tutti.engine.model.ModelConfig;
import io.tutti.kv.KvDtype;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.weights.WeightFormat;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Against counts made by hand from the models' config.json. */
class CostTest {

    private static final int NORM_BYTES = 100;

    private static Cost cost(String model, KvDtype kv, WeightFormat projections, Dtype others) {
        Graph graph = ModelConfig.load(Path.of(System.getProperty("tutti.golden"))
                        .resolve("models")
                        .resolve(model))
                .graph();
        return Cost.of(
                graph,
                (name, _) -> graph.projections().contains(name) ? projections : new WeightFormat.Dense(others),
                _ -> NORM_BYTES,
                kv);
    }

    /** Two layers of 78, intermediate 101; 6 heads of 14, 2 for keys and values; a head of its own for 103 tokens. */
    private static Cost grouped() {
        return cost("gqa-f16-wide-heads", KvDtype.F32, new WeightFormat.Dense(Dtype.F16), Dtype.F16);
    }

    @Test
    void groupedQueriesAreCountedByQueryHeadsAndCachedByKvHeads() {
        int layer = 84 * 78 + 28 * 78 + 28 * 78 + 78 * 84 + 3 * 101 * 78;
        assertThat(grouped())
                .isEqualTo(new Cost(
                        2L * 2 * layer,
                        2L * 103 * 78,
                        2L * 4 * 6 * 14,
                        2L * (2 * layer + 103 * 78) + 5 * NORM_BYTES,
                        2L * 78,
                        2L * 2 * 2 * 14 * 4,
                        Attention.WHOLE_CONTEXT));
    }

    @Test
    void aPromptMeetsTheHeadOnceAndEachTokenSeesThoseBeforeIt() {
        Cost cost = grouped();
        assertThat(cost.prefillFlops(3)).isEqualTo(3 * 164_424 + 16_068 + (1 + 2 + 3) * 672);
    }

    @Test
    void sequencesThatDecodeTogetherShareTheWeightsAndNothingElse() {
        Cost cost = grouped();
        assertThat(cost.decodeFlops(2, 10, 3)).isEqualTo(2 * (3 * (164_424 + 16_068) + (11 + 12 + 13) * 672));
        assertThat(cost.decodeBytes(2, 10, 3)).isEqualTo(3 * (180_992 + 2 * 156) + 2 * (11 + 12 + 13) * 448);
    }

    @Test
    void aTiedEmbeddingIsReadOnceAsTheHeadAndARowOfIt() {
        // Two layers of 64, intermediate 172; 4 heads of 16, 2 for keys and values; 256 tokens.
        Cost cost = cost("tiny-llama", KvDtype.F16, new WeightFormat.Dense(Dtype.BF16), Dtype.BF16);
        int layer = 2 * 64 * 64 + 2 * 32 * 64 + 3 * 172 * 64;
        assertThat(cost.weightBytes()).isEqualTo(2 * (2 * layer + 256 * 64) + 5 * NORM_BYTES);
        assertThat(cost.headFlops()).isEqualTo(2 * 256 * 64);
        assertThat(cost.rowBytes()).isEqualTo(128);
        assertThat(cost.positionBytes()).isEqualTo(256); // what `inspect` says, too
    }

    @Test
    void int4CountsItsScales() {
        // Two layers of 64, intermediate 96; 4 heads of 16, 2 for keys and values; 109 tokens.
        Cost cost = cost("tiny-int4", KvDtype.F16, new WeightFormat.Int4(32), Dtype.F32);
        int layer = 2 * 64 * 64 + 2 * 32 * 64 + 3 * 96 * 64;
        assertThat(cost.weightBytes()).isEqualTo(2 * (layer / 2 + layer / 32 * 2) + 4 * 109 * 64 + 5 * NORM_BYTES);
    }

    @Test
    void biasesAndNormsOfHeadsAreRead() {
        // A layer of 36, intermediate 44; 5 heads of 8, 1 for keys and values, all with a bias; 63 tokens.
        Cost cost = cost("qwen3-biases-yarn-bf16", KvDtype.F16, new WeightFormat.Dense(Dtype.BF16), Dtype.F32);
        int layer = 2 * 40 * 36 + 2 * 8 * 36 + 3 * 44 * 36;
        assertThat(cost.weightBytes()).isEqualTo(2 * layer + 4 * 63 * 36 + (3 + 2 + 4) * NORM_BYTES);
    }

    @Test
    void noTokenSeesMoreThanItsWindow() {
        // Two layers of 4 heads of 10, 2 for keys and values, a window of 7.
        Cost cost = cost("mistral-window-bf16", KvDtype.F16, new WeightFormat.Dense(Dtype.BF16), Dtype.BF16);
        assertThat(cost.window()).isEqualTo(7);
        double alone = cost.decodeBytes(1, 0, 3) - 3 * cost.weightBytes() - 3 * cost.rowBytes();
        assertThat(alone).isEqualTo((1.0 + 2 + 3) * cost.positionBytes());
        double far = cost.decodeBytes(1, 5, 4) - 4 * cost.weightBytes() - 4 * cost.rowBytes();
        assertThat(far).isEqualTo((6.0 + 7 + 7 + 7) * cost.positionBytes());
        double past = cost.decodeBytes(1, 50, 4) - 4 * cost.weightBytes() - 4 * cost.rowBytes();
        assertThat(past).isEqualTo(4.0 * 7 * cost.positionBytes());
    }

    @Test
    void aBigramReadsARowAndComputesNothing() {
        Cost cost = cost("bigram", KvDtype.F16, new WeightFormat.Dense(Dtype.F32), Dtype.F32);
        assertThat(cost).isEqualTo(new Cost(0, 0, 0, 0, 256 * 4, 0, Attention.WHOLE_CONTEXT));
        assertThat(cost.decodeBytes(1, 0, 128)).isEqualTo(128 * 1024);
    }
}
