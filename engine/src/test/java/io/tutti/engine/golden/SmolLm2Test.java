package io.tutti.engine.golden;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.tutti.engine.generate.GenerationListener;
import io.tutti.engine.generate.GenerationRequest;
import io.tutti.engine.generate.Generator;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvDtype;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.modelio.tokenizer.Tokenizers;
import io.tutti.sample.ParallelFor;
import io.tutti.sample.SamplingParams;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A real model: what golden/make/smollm2.py writes, in the folder that TUTTI_SMOLLM2 names. */
@EnabledIfEnvironmentVariable(
        named = "TUTTI_SMOLLM2",
        matches = ".+",
        disabledReason = "needs the model that golden/make/smollm2.py makes")
class SmolLm2Test {

    @ParameterizedTest
    @EnumSource(KvDtype.class)
    void greedyTokensEqualTransformers(KvDtype kv) {
        Path dir = Path.of(System.getenv("TUTTI_SMOLLM2"));
        EngineConfig config = EngineConfig.defaults().withKvDtype(kv).withKvBlocks(16);
        int steps = 0;
        int compared = 0;
        try (ModelRunner runner = Runs.load(dir, config);
                Tokenizer tokenizer = Tokenizers.open(dir, runner.config().text())) {
            Generator generator = new Generator(runner, Optional.empty(), ParallelFor.SERIAL);
            for (JsonNode prompt :
                    Golden.json(Golden.HOME.resolve("vectors/smollm2.json")).get("prompts")) {
                String text = prompt.get("text").asText();
                int[] tokens = Golden.ints(prompt.get("tokens"));
                assertThat(tokenizer.encode(text)).as(text).isEqualTo(tokens);
                int[] want = Golden.ints(prompt.get("greedy"));
                GenerationRequest request = new GenerationRequest(
                        tokens,
                        want.length,
                        SamplingParams.greedy(),
                        0,
                        List.of(),
                        List.of(),
                        false,
                        Integer.MAX_VALUE);
                int[] got = generator
                        .generate(request, GenerationListener.NONE, () -> false)
                        .tokens();
                int count = prompt.get("compared").asInt();
                assertThat(Arrays.copyOf(got, count)).as(text).isEqualTo(Arrays.copyOf(want, count));
                steps += want.length;
                compared += count;
            }
        }
        assertThat(compared).isGreaterThanOrEqualTo(steps * 6 / 10);
    }
}
