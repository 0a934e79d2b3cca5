package io.tutti.engine.golden;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.golden.Golden.Prompt;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvDtype;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whole models against Hugging Face's float32 forward, and bit for bit against golden's executable numerics. */
class GoldenModelsTest {

    static Stream<Arguments> modelsAndCaches() {
        return Golden.models().flatMap(GoldenModelsTest::withBothCaches);
    }

    /** Hugging Face has no bigram. */
    static Stream<Arguments> llamasAndCaches() {
        return Golden.llamas().flatMap(GoldenModelsTest::withBothCaches);
    }

    private static Stream<Arguments> withBothCaches(Model model) {
        return Stream.of(KvDtype.values()).map(kv -> Arguments.of(model, kv));
    }

    @ParameterizedTest
    @MethodSource("llamasAndCaches")
    void tinyLlamaLogitsMatchHf(Model model, KvDtype kv) {
        float tolerance = kv == KvDtype.F16 ? 1e-3f : 1e-5f;
        float largest = 0;
        try (ModelRunner runner = Runs.load(model.dir(), EngineConfig.defaults().withKvDtype(kv))) {
            for (Prompt prompt : model.prompts()) {
                float[] want = model.reference("p" + prompt.index() + ".hf_logits");
                float[] got = lastRows(Runs.logits(runner, prompt.tokens()), want.length);
                assertThat(Runs.largestDifference(got, want))
                        .as("prompt %d", prompt.index())
                        .isLessThanOrEqualTo(tolerance * Runs.largest(want));
                largest = Math.max(largest, Runs.largest(want));
            }
        }
        assertThat(largest).as("flat logits would show nothing").isGreaterThanOrEqualTo(10);
    }

    @ParameterizedTest
    @MethodSource("modelsAndCaches")
    void tinyLlamaGreedyMatchesHf(Model model, KvDtype kv) {
        int steps = 0;
        int compared = 0;
        try (ModelRunner runner = Runs.load(model.dir(), EngineConfig.defaults().withKvDtype(kv))) {
            for (Prompt prompt : model.prompts()) {
                int[] got = Runs.greedy(runner, prompt.tokens(), prompt.greedy().length);
                assertThat(Arrays.copyOf(got, prompt.compared()))
                        .as("prompt %d", prompt.index())
                        .isEqualTo(Arrays.copyOf(prompt.greedy(), prompt.compared()));
                steps += prompt.greedy().length;
                compared += prompt.compared();
            }
        }
        assertThat(compared).as("steps before a near tie").isGreaterThanOrEqualTo(steps * 6 / 10);
    }

    @ParameterizedTest
    @MethodSource("modelsAndCaches")
    void logitsEqualTheNumericsSpecificationBitForBit(Model model, KvDtype kv) {
        try (ModelRunner runner = Runs.load(model.dir(), EngineConfig.defaults().withKvDtype(kv))) {
            for (Prompt prompt : model.prompts()) {
                float[] want = model.reference(
                        "p" + prompt.index() + ".logits_" + kv.name().toLowerCase(Locale.ROOT));
                float[] got = lastRows(Runs.logits(runner, prompt.tokens()), want.length);
                assertThat(Runs.bits(got)).as("prompt %d", prompt.index()).isEqualTo(Runs.bits(want));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.tutti.engine.golden.Golden#llamasWithHidden")
    void runOnceReturnsTheLastHiddenState(Model model) {
        int[] tokens = model.prompts().get(2).tokens();
        for (KvDtype kv : KvDtype.values()) {
            try (ModelRunner runner = Runs.load(
                    model.dir(), EngineConfig.defaults().withKvDtype(kv).withMaxBatchTokens(3))) {
                float[] states = runner.runOnce(tokens).states();
                float[] want = model.reference("p2.hidden_" + kv.name().toLowerCase(Locale.ROOT));
                assertThat(Runs.bits(states)).isEqualTo(Runs.bits(want));
                float[] hf = model.reference("p2.hf_hidden");
                assertThat(Runs.largestDifference(states, hf)).isLessThanOrEqualTo(2e-3f * Runs.largest(hf));
            }
        }
    }

    @Test
    void bigramCheckpointStillServes() {
        Model bigram = new Model("bigram");
        try (ModelRunner runner = Runs.load(bigram.dir(), EngineConfig.defaults())) {
            assertThat(Runs.greedy(runner, new int[] {'a'}, 3)).containsExactly('b', 'c', 'd');
        }
    }

    private static float[] lastRows(float[] logits, int length) {
        return Arrays.copyOfRange(logits, logits.length - length, logits.length);
    }
}
