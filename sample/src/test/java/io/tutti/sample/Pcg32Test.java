package io.tutti.sample;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

class Pcg32Test {
    private static final JsonNode VECTORS = Golden.vectors("pcg32.json");

    @Test
    void pcg32ReferenceVectors() {
        Pcg32 demo = new Pcg32(42, 54);
        assertThat(new int[] {
                    demo.nextInt(), demo.nextInt(), demo.nextInt(), demo.nextInt(), demo.nextInt(), demo.nextInt()
                })
                .as("the reference library's demo line")
                .containsExactly(0xa15c02b7, 0x7b47f409, 0xba1d3330, 0x83d2f293, 0xbfa4784b, 0xcbed606e);

        assertThat(VECTORS.get("generators")).isNotEmpty().allSatisfy(vector -> {
            long seed = Golden.u64(vector.get("seed"));
            long sequence = Golden.u64(vector.get("sequence"));
            assertGives(vector, new Pcg32(seed, sequence), new Pcg32(seed, sequence));
        });
        assertThat(VECTORS.get("mix64"))
                .isNotEmpty()
                .allSatisfy(vector -> assertThat(Streams.mix64(Golden.u64(vector.get("in"))))
                        .isEqualTo(Golden.u64(vector.get("out"))));
        assertThat(VECTORS.get("child_seed"))
                .isNotEmpty()
                .allSatisfy(vector -> assertThat(Streams.childSeed(
                                Golden.u64(vector.get("seed")),
                                vector.get("purpose").longValue()))
                        .isEqualTo(Golden.u64(vector.get("out"))));
        assertThat(VECTORS.get("streams")).isNotEmpty().allSatisfy(vector -> {
            long seed = Golden.u64(vector.get("seed"));
            long purpose = vector.get("purpose").longValue();
            assertGives(vector, Streams.stream(seed, purpose), Streams.stream(seed, purpose));
        });
    }

    private static void assertGives(JsonNode vector, Pcg32 forInts, Pcg32 forDoubles) {
        for (JsonNode expected : vector.get("u32")) {
            assertThat(forInts.nextInt()).isEqualTo(Golden.u32(expected));
        }
        for (JsonNode expected : vector.get("uniform_f64")) {
            assertThat(forDoubles.nextDouble()).isEqualTo(Golden.f64(expected));
        }
    }

    @Test
    void theTopBitOfTheSequenceHasNoEffect() {
        assertThat(new Pcg32(7, 9).nextInt()).isEqualTo(new Pcg32(7, 9 | Long.MIN_VALUE).nextInt());
        assertThat(new Pcg32(7, 9).nextInt()).isNotEqualTo(new Pcg32(7, 8).nextInt());
    }

    @Test
    void purposesHaveStreamsOfTheirOwn() {
        assertThat(Streams.stream(0, Streams.SAMPLE).nextInt())
                .isNotEqualTo(Streams.stream(0, 0).nextInt());
    }
}
