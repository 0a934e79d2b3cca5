package io.tutti.tornado;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.tutti.engine.golden.Golden;
import io.tutti.engine.golden.Runs;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ModelRunner;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** A real model on the device, bit for bit the host's: what golden/make/smollm2.py writes, in the folder that TUTTI_SMOLLM2 names. */
@EnabledIfEnvironmentVariable(
        named = "TUTTI_SMOLLM2",
        matches = ".+",
        disabledReason = "needs the model that golden/make/smollm2.py makes, in the folder that TUTTI_SMOLLM2 names")
class SmolLm2OnDeviceTest {

    private static final EngineConfig CONFIG =
            EngineConfig.defaults().withKvBlocks(16).withMaxBatchTokens(32);

    @Test
    void inBf16() {
        assertSameLogits(CONFIG);
    }

    @Test
    void inInt4() {
        assertSameLogits(CONFIG.withQuantGroup(32));
    }

    private static void assertSameLogits(EngineConfig config) {
        Path dir = Path.of(System.getenv("TUTTI_SMOLLM2"));
        try (ModelRunner host = Runs.load(dir, config);
                ModelRunner device = OnDevice.load(dir, config)) {
            for (JsonNode prompt :
                    Golden.json(Golden.HOME.resolve("vectors/smollm2.json")).get("prompts")) {
                int[] tokens = IntStream.concat(
                                Arrays.stream(Golden.ints(prompt.get("tokens"))),
                                Arrays.stream(Golden.ints(prompt.get("greedy"))).limit(8))
                        .toArray();
                String text = prompt.get("text").asText();
                int[] want = Runs.bits(Runs.logits(host, tokens));
                assertThat(Runs.bits(Runs.logits(device, tokens))).as(text).isEqualTo(want);
                assertThat(Runs.bits(Runs.logits(device, tokens, 1)))
                        .as("%s, token by token", text)
                        .isEqualTo(want);
            }
        }
    }
}
