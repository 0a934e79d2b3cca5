package io.tutti.engine.reference;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.tutti.engine.golden.Golden;
import io.tutti.engine.golden.Runs;
import io.tutti.engine.graph.RopeParameters;
import io.tutti.engine.graph.RopeScaling;
import io.tutti.modelio.dtype.Halves;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reference against golden's vectors of every operation, which another language's implementation made. */
class NumericsTest {

    private static final JsonNode OPS = Golden.json(Golden.HOME.resolve("vectors/numerics-ops.json"));

    @Test
    void exp() {
        float[] x = Golden.floats(OPS.get("exp").get("x"));
        float[] want = Golden.floats(OPS.get("exp").get("y"));
        float[] got = new float[x.length];
        for (int i = 0; i < x.length; i++) {
            got[i] = Numerics.exp(x[i]);
        }
        assertSame(got, want, "exp");
    }

    @Test
    void cacheStoresNearestHalves() {
        float[] x = Golden.floats(OPS.get("f32_to_f16").get("x"));
        String[] want = OPS.get("f32_to_f16").get("f16").asText().split(" ", -1);
        for (int i = 0; i < x.length; i++) {
            assertThat(Halves.floatToF16(x[i]) & 0xFFFF).as("%s", x[i]).isEqualTo(Integer.parseInt(want[i], 16));
        }
    }

    @Test
    void dot() {
        for (JsonNode vector : OPS.get("dot")) {
            assertDot(vector.get("name").asText(), vector, Golden.floats(vector.get("w")));
        }
    }

    @Test
    void dotOfInt4() {
        for (JsonNode vector : OPS.get("int4_dot")) {
            int columns = vector.get("columns").asInt();
            int group = vector.get("group").asInt();
            String packed = vector.get("packed").asText();
            String[] scales = vector.get("scales").asText().split(" ", -1);
            float[] w = new float[packed.length()];
            for (int i = 0; i < w.length; i++) {
                int pair = Integer.parseInt(packed, i / 2 * 2, i / 2 * 2 + 2, 16);
                int q = (i % 2 == 0 ? pair << 28 : pair << 24) >> 28;
                w[i] = (float) q * Halves.f16ToFloat((short) Integer.parseInt(scales[i / group], 16));
            }
            assertDot("int4 of " + columns, vector, w);
        }
    }

    private static void assertDot(String name, JsonNode vector, float[] w) {
        float[] x = Golden.floats(vector.get("x"));
        int[] shape = Golden.shape(vector.get("y"));
        int columns = Golden.shape(vector.get("x"))[1];
        float[] got = new float[shape[0] * shape[1]];
        for (int i = 0; i < got.length; i++) {
            got[i] = Numerics.dot(w, i % shape[1] * columns, x, i / shape[1] * columns, columns);
        }
        assertSame(got, Golden.floats(vector.get("y")), name);
    }

    @Test
    void rmsNorm() {
        for (JsonNode vector : OPS.get("rms_norm")) {
            float[] x = Golden.floats(vector.get("x"));
            float[] scale = Golden.floats(vector.get("weight"));
            float[] got = new float[x.length];
            for (int at = 0; at < x.length; at += scale.length) {
                Numerics.rmsNorm(x, at, scale, (float) vector.get("eps").asDouble(), got, at);
            }
            assertSame(got, Golden.floats(vector.get("y")), "rms norm of " + scale.length);
        }
    }

    @Test
    void rope() {
        for (JsonNode vector : OPS.get("rope")) {
            int headDim = vector.get("head_dim").asInt();
            int[] positions = Golden.ints(vector.get("positions"));
            int[] shape = Golden.shape(vector.get("x")); // [T, H, D]
            RopeTable table = new RopeTable(
                    new RopeParameters(headDim, vector.get("theta").asDouble()));
            table.extendTo(Arrays.stream(positions).max().orElseThrow() + 1);
            float[] cos = Golden.floats(vector.get("cos"));
            float[] sin = Golden.floats(vector.get("sin"));
            float[] x = Golden.floats(vector.get("x"));
            for (int t = 0; t < shape[0]; t++) {
                for (int i = 0; i < headDim / 2; i++) {
                    int at = positions[t] * table.pairs() + i;
                    assertThat(table.cos()[at]).isEqualTo(cos[t * table.pairs() + i]);
                    assertThat(table.sin()[at]).isEqualTo(sin[t * table.pairs() + i]);
                }
                for (int h = 0; h < shape[1]; h++) {
                    Numerics.rope(x, (t * shape[1] + h) * headDim, table, positions[t]);
                }
            }
            assertSame(x, Golden.floats(vector.get("y")), "rope of " + headDim);
        }
    }

    @Test
    void swiGlu() {
        float[] gate = Golden.floats(OPS.get("swiglu").get("gate"));
        float[] up = Golden.floats(OPS.get("swiglu").get("up"));
        float[] got = new float[gate.length];
        for (int i = 0; i < got.length; i++) {
            got[i] = Numerics.swiGlu(gate[i], up[i]);
        }
        assertSame(got, Golden.floats(OPS.get("swiglu").get("y")), "swiglu");
    }

    @Test
    void scaledRotaryPositions() {
        for (JsonNode vector : OPS.get("rope_scaling")) {
            String what = vector.get("scaling").toString();
            RopeParameters rope = new RopeParameters(
                    vector.get("head_dim").asInt(), vector.get("theta").asDouble(), scaling(vector));
            assertSame(RopeFrequencies.of(rope), Golden.floats(vector.get("frequencies")), what);
            float factor = RopeFrequencies.attentionFactor(rope.scaling());
            assertSame(new float[] {factor}, Golden.floats(vector.get("attention_factor")), what);
            int[] positions = Golden.ints(vector.get("positions"));
            RopeTable table = new RopeTable(rope);
            table.extendTo(Arrays.stream(positions).max().orElseThrow() + 1);
            float[] cos = new float[positions.length * table.pairs()];
            float[] sin = cos.clone();
            for (int t = 0; t < positions.length; t++) {
                System.arraycopy(table.cos(), positions[t] * table.pairs(), cos, t * table.pairs(), table.pairs());
                System.arraycopy(table.sin(), positions[t] * table.pairs(), sin, t * table.pairs(), table.pairs());
            }
            assertSame(cos, Golden.floats(vector.get("cos")), what);
            assertSame(sin, Golden.floats(vector.get("sin")), what);
        }
    }

    /** As a config reader makes it of the vector's keys. */
    private static RopeScaling scaling(JsonNode vector) {
        JsonNode keys = vector.get("scaling");
        double factor = keys.get("factor").asDouble();
        int context = keys.path("original_max_position_embeddings").asInt();
        return switch (keys.get("rope_type").asText()) {
            case "linear" -> new RopeScaling.Linear(factor);
            case "llama3" ->
                new RopeScaling.Llama3(
                        factor,
                        keys.get("low_freq_factor").asDouble(),
                        keys.get("high_freq_factor").asDouble(),
                        context);
            default ->
                new RopeScaling.Yarn(
                        factor,
                        Golden.floats(vector.get("attention_factor"))[0],
                        keys.path("beta_fast").asDouble(32),
                        keys.path("beta_slow").asDouble(1),
                        context,
                        keys.path("truncate").asBoolean(true));
        };
    }

    @Test
    void normsOfHeads() {
        for (JsonNode vector : OPS.get("head_norm")) {
            float[] x = Golden.floats(vector.get("x"));
            float[] scale = Golden.floats(vector.get("weight"));
            for (int at = 0; at < x.length; at += scale.length) {
                Numerics.rmsNorm(x, at, scale, (float) vector.get("eps").asDouble(), x, at);
            }
            assertSame(x, Golden.floats(vector.get("y")), "norm of heads of " + scale.length);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"attention", "window"})
    void attention(String vectors) {
        for (JsonNode vector : OPS.get(vectors)) {
            int[] positions = Golden.ints(vector.get("positions"));
            int[] queries = Golden.shape(vector.get("q")); // [queries, H, D]
            int kvHeads = Golden.shape(vector.get("k"))[1]; // [S, Hkv, D]
            int headDim = queries[2];
            int window = vector.path("window").asInt(Integer.MAX_VALUE);
            float[] q = Golden.floats(vector.get("q"));
            float[] k = Golden.floats(vector.get("k"));
            float[] v = Golden.floats(vector.get("v"));
            float[] got = new float[q.length];
            for (int row = 0; row < queries[0] * queries[1]; row++) {
                int kvHead = row % queries[1] / (queries[1] / kvHeads);
                int visible = positions[row / queries[1]] + 1;
                float[] scaled = Arrays.copyOfRange(q, row * headDim, (row + 1) * headDim);
                for (int d = 0; d < headDim; d++) {
                    scaled[d] *= Numerics.attentionScale(headDim);
                }
                float[] keys = head(k, visible, kvHeads, kvHead, headDim);
                float[] values = head(v, visible, kvHeads, kvHead, headDim);
                Numerics.attend(scaled, keys, values, Math.max(0, visible - window), visible, got, row * headDim);
            }
            assertSame(got, Golden.floats(vector.get("y")), vector.get("name").asText());
        }
    }

    /** One head's {@code [n, D]} of {@code [S, Hkv, D]}. */
    private static float[] head(float[] all, int n, int kvHeads, int kvHead, int headDim) {
        float[] out = new float[n * headDim];
        for (int p = 0; p < n; p++) {
            System.arraycopy(all, (p * kvHeads + kvHead) * headDim, out, p * headDim, headDim);
        }
        return out;
    }

    /** Equal bits, where a NaN may have any payload. */
    private static void assertSame(float[] got, float[] want, String what) {
        float[] canonical = want.clone();
        for (int i = 0; i < want.length; i++) {
            if (Float.isNaN(want[i]) && i < got.length && Float.isNaN(got[i])) {
                canonical[i] = got[i];
            }
        }
        assertThat(Runs.bits(got)).as(what).isEqualTo(Runs.bits(canonical));
    }
}
