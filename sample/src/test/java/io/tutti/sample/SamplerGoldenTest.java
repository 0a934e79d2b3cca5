package io.tutti.sample;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** golden/vectors/sampling.json, written by an independent implementation. */
class SamplerGoldenTest {
    static Stream<Arguments> cases() {
        List<JsonNode> cases = Golden.list(Golden.vectors("sampling.json").get("cases"));
        assertThat(cases).hasSizeGreaterThanOrEqualTo(12);
        return cases.stream().map(vector -> Arguments.of(vector.get("name").textValue(), vector));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void samplerMatchesL81Golden(String name, JsonNode vector) {
        SamplingParams params = params(vector.get("params"));
        int[] prompt = Golden.ints(vector.get("prompt"));
        List<float[]> rows = rows(vector);
        Pcg32 rng = Streams.stream(Golden.u64(vector.get("seed")), Streams.SAMPLE);
        Pcg32 rngOfIds = Streams.stream(Golden.u64(vector.get("seed")), Streams.SAMPLE);
        Pcg32 rngOfCalls = Streams.stream(Golden.u64(vector.get("seed")), Streams.SAMPLE);
        Sampler sampler = new Sampler(rows.get(0).length, params, prompt, rng);
        Sampler idSampler = new Sampler(rows.get(0).length, params, prompt, rngOfIds);

        assertThat(rows).hasSize(12);
        int[] output = new int[rows.size()];
        for (int t = 0; t < rows.size(); t++) {
            SampledToken expected = new SampledToken(
                    vector.get("ids").get(t).intValue(),
                    Golden.f64(vector.get("logprobs").get(t)));
            assertThat(sampler.nextWithLogprob(rows.get(t), 0))
                    .as("token %d", t)
                    .isEqualTo(expected);
            assertThat(idSampler.next(rows.get(t), 0)).as("token %d", t).isEqualTo(expected.id());
            assertThat(Sampler.sample(rows.get(t), params, prompt, Arrays.copyOf(output, t), rngOfCalls))
                    .as("token %d after a history given whole", t)
                    .isEqualTo(expected);
            output[t] = expected.id();
        }
        int after = Golden.u32(vector.get("next_u32_after"));
        assertThat(List.of(rng.nextInt(), rngOfIds.nextInt(), rngOfCalls.nextInt()))
                .as("draws taken")
                .containsOnly(after);
    }

    private static SamplingParams params(JsonNode params) {
        return new SamplingParams(
                params.get("temperature").doubleValue(),
                params.get("top_k").intValue(),
                params.get("top_p").doubleValue(),
                params.get("min_p").doubleValue(),
                params.get("repetition_penalty").doubleValue(),
                params.get("presence_penalty").doubleValue(),
                params.get("frequency_penalty").doubleValue());
    }

    private static List<float[]> rows(JsonNode vector) {
        return Golden.list(vector.get("logits")).stream()
                .map(row -> {
                    String[] bits = row.textValue().split(" ", -1);
                    float[] logits = new float[bits.length];
                    for (int i = 0; i < bits.length; i++) {
                        logits[i] = Float.intBitsToFloat(Integer.parseUnsignedInt(bits[i], 16));
                    }
                    return logits;
                })
                .toList();
    }
}
