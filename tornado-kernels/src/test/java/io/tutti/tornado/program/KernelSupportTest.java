package io.tutti.tornado.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.engine.backend.DeviceException;
import io.tutti.engine.backend.Unsupported;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Op.Embed;
import io.tutti.engine.graph.Op.MatMul;
import io.tutti.engine.graph.Op.SelectOutputs;
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.weights.Weight;
import io.tutti.modelio.weights.WeightFormat;
import io.tutti.modelio.weights.WeightSource;
import io.tutti.tornado.OnDevice;
import org.junit.jupiter.api.Test;

/** What no kernel is written for is named, and how weights are stored is asked without loading one. */
class KernelSupportTest {

    private static final WeightFormat INT4 = new WeightFormat.Int4(16);
    private static final WeightFormat BF16 = new WeightFormat.Dense(Dtype.BF16);

    private static Graph graph() {
        Buffer x = Buffer.ofTokens("x", 64);
        Buffer last = Buffer.ofOutputs("last", 64);
        Buffer logits = Buffer.ofOutputs("logits", 32);
        return Graph.builder()
                .first(new Embed(new Matrix("embed_tokens.weight", 32, 64), x))
                .last(
                        new SelectOutputs(x, last),
                        new MatMul(last, new Matrix("model.layers.0.lm_head.weight", 32, 64), logits))
                .build(logits);
    }

    /** The formats alone. */
    private record Formats(ZeroWeights weights) implements WeightSource {
        @Override
        public Weight matrix(String name, int rows, int cols) {
            throw new AssertionError(name + " was loaded");
        }

        @Override
        public WeightFormat format(String name, int rows, int cols) {
            return weights.format(name, rows, cols);
        }

        @Override
        public float[] vector(String name, int size) {
            throw new AssertionError(name + " was loaded");
        }
    }

    @Test
    void anEmbeddingInInt4IsNamedByOpWeightAndFormat() {
        Formats weights = new Formats(new ZeroWeights(BF16, INT4));
        assertThat(OnDevice.device().unsupported(graph(), weights))
                .containsExactly(new Unsupported("Embed", "the table embed_tokens.weight", "int4", "f32, f16, bf16"));
        assertThatThrownBy(() -> Unsupported.requireNone(OnDevice.device(), graph(), weights))
                .isInstanceOf(DeviceException.class)
                .hasMessage("device %s cannot run Embed with the table embed_tokens.weight in int4; "
                                .formatted(OnDevice.device().name())
                        + "accepted: f32, f16, bf16");
    }

    @Test
    void aMatrixInInt4IsNoReasonToRefuse() {
        assertThat(OnDevice.device().unsupported(graph(), new Formats(new ZeroWeights(INT4, BF16))))
                .isEmpty();
    }
}
