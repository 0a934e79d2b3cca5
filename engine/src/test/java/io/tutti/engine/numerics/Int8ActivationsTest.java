package io.tutti.engine.numerics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.tutti.engine.golden.Golden;
import io.tutti.engine.golden.Runs;
import io.tutti.modelio.dtype.Halves;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The reference against golden's vectors of int4 weights with int8 activations. */
class Int8ActivationsTest {

    private static final JsonNode OPS = Golden.json(Golden.HOME.resolve("vectors/numerics-ops.json"));

    @Test
    void rowsAreQuantizedAsTheVectorsSay() {
        for (JsonNode vector : OPS.get("int8_dot")) {
            String name = vector.get("name").asText();
            int cols = vector.get("columns").asInt();
            int blocks = Int8Activations.blocks(cols);
            float[] x = Golden.floats(vector.get("x"));
            float[] wantScales = Golden.floats(vector.get("x_scales"));
            int[] wantQ = Golden.ints(vector.get("x_q"));
            byte[] q = new byte[cols];
            float[] scales = new float[blocks];
            for (int t = 0; t < x.length / cols; t++) {
                Int8Activations.quantize(x, t * cols, cols, q, scales);
                assertThat(scales).as(name).isEqualTo(Arrays.copyOfRange(wantScales, t * blocks, (t + 1) * blocks));
                for (int k = 0; k < cols; k++) {
                    assertThat(q[k]).as("%s, row %d, column %d", name, t, k).isEqualTo((byte) wantQ[t * cols + k]);
                }
            }
        }
    }

    @Test
    void dotsEqualTheVectorsBitForBit() {
        for (JsonNode vector : OPS.get("int8_dot")) {
            int cols = vector.get("columns").asInt();
            int group = vector.get("group").asInt();
            float[] x = Golden.floats(vector.get("x"));
            byte[] w = integers(vector.get("packed").asText());
            float[] wScales = halves(vector.get("scales").asText());
            int rows = w.length / cols;
            byte[] q = new byte[cols];
            float[] scales = new float[Int8Activations.blocks(cols)];
            float[] got = new float[x.length / cols * rows];
            for (int i = 0; i < got.length; i++) {
                int n = i % rows;
                Int8Activations.quantize(x, i / rows * cols, cols, q, scales);
                got[i] = Int8Activations.dot(w, n * cols, wScales, n * cols / group, group, q, scales, cols);
            }
            assertThat(Runs.bits(canonical(got)))
                    .as(vector.get("name").asText())
                    .isEqualTo(Runs.bits(canonical(Golden.floats(vector.get("y")))));
        }
    }

    /** A NaN may have any payload. */
    private static float[] canonical(float[] values) {
        float[] out = values.clone();
        for (int i = 0; i < out.length; i++) {
            out[i] = Float.isNaN(out[i]) ? Float.NaN : out[i];
        }
        return out;
    }

    private static byte[] integers(String packed) {
        byte[] w = new byte[packed.length()];
        for (int i = 0; i < w.length; i++) {
            int pair = Integer.parseInt(packed, i / 2 * 2, i / 2 * 2 + 2, 16);
            w[i] = (byte) ((i % 2 == 0 ? pair << 28 : pair << 24) >> 28);
        }
        return w;
    }

    private static float[] halves(String bits) {
        String[] words = bits.split(" ", -1);
        float[] values = new float[words.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = Halves.f16ToFloat((short) Integer.parseInt(words[i], 16));
        }
        return values;
    }
}
