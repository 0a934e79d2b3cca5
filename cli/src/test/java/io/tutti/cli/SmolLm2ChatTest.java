package io.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tutti.chat.ChatTemplate;
import io.tutti.chat.Message;
import io.tutti.cli.console.ExitCode;
import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvDtype;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.modelio.tokenizer.Tokenizers;
import io.tutti.runtime.generate.CachedSequence;
import io.tutti.runtime.generate.GenerationListener;
import io.tutti.runtime.generate.GenerationRequest;
import io.tutti.runtime.generate.GenerationResult;
import io.tutti.runtime.generate.Generator;
import io.tutti.runtime.generate.RunnerTokens;
import io.tutti.sample.ParallelFor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Chats with a real model: what golden/make/smollm2.py writes, in the folder that TUTTI_SMOLLM2 names. */
@EnabledIfEnvironmentVariable(
        named = "TUTTI_SMOLLM2",
        matches = ".+",
        disabledReason = "needs the model that golden/make/smollm2.py makes")
class SmolLm2ChatTest {

    private static final Path GOLDEN = Path.of(System.getProperty("tutti.golden"));
    private static final String QUESTION = "What is the capital of France?";

    private final Path model = Path.of(System.getenv("TUTTI_SMOLLM2"));

    @ParameterizedTest
    @EnumSource(KvDtype.class)
    void promptsAndGreedyAnswersOfThreeTurnsEqualTransformers(KvDtype kv) throws IOException {
        JsonNode conversations = new ObjectMapper()
                .readTree(GOLDEN.resolve("vectors/smollm2-chat.json").toFile())
                .get("conversations");
        ChatTemplate template = ChatTemplate.find(model).orElseThrow();
        int steps = 0;
        int compared = 0;
        try (ModelRunner runner = ModelRunner.load(
                        model,
                        EngineConfig.defaults().withKvDtype(kv).withKvBlocks(64),
                        Devices.all(BackendOptions.defaults()).getFirst(),
                        LoadProgress.NONE);
                Tokenizer tokenizer = Tokenizers.open(model, runner.config().text())) {
            for (JsonNode conversation : conversations) {
                try (CachedSequence sequence = new CachedSequence(runner)) {
                    Generator generator = new Generator(
                            new RunnerTokens(runner, sequence, ParallelFor.SERIAL), Optional.of(tokenizer));
                    int before = 0;
                    for (JsonNode turn : conversation) {
                        int[] prompt = tokenizer.encode(template.render(messages(turn), true), false);
                        assertThat(prompt).isEqualTo(Run.ints(turn.get("tokens")));
                        int[] want = Run.ints(turn.get("greedy"));
                        GenerationResult got =
                                generator.generate(greedy(prompt, want.length), GenerationListener.NONE, () -> false);
                        int count = turn.get("compared").intValue();
                        assertThat(Arrays.copyOf(got.tokens(), count))
                                .as(turn.get("text").textValue())
                                .isEqualTo(Arrays.copyOf(want, count));
                        assertThat(got.reused()).isGreaterThanOrEqualTo(before);
                        before = prompt.length;
                        steps += want.length;
                        compared += count;
                    }
                }
            }
        }
        assertThat(conversations)
                .hasSize(10)
                .allSatisfy(turns -> assertThat(turns).hasSize(3));
        assertThat(compared).isGreaterThanOrEqualTo(steps * 6 / 10);
    }

    private static GenerationRequest greedy(int[] prompt, int tokens) {
        return GenerationRequest.greedy(prompt, tokens);
    }

    private static List<Message> messages(JsonNode turn) {
        List<Message> messages = new ArrayList<>();
        for (JsonNode message : turn.get("messages")) {
            messages.add(Message.of(
                    message.get("role").textValue(), message.get("content").textValue()));
        }
        return messages;
    }

    @Test
    void itKnowsTheCapitalOfFrance() {
        Run generate = Run.of("generate", model.toString(), "--chat", "--prompt", QUESTION);
        assertThat(generate.out()).isEqualTo("The capital of France is Paris.\n");
        Run chat = Run.with((QUESTION + "\n").getBytes(StandardCharsets.UTF_8), "chat", model.toString());
        assertThat(chat.out()).isEqualTo(generate.out());
        assertThat(chat.exitCode()).isEqualTo(ExitCode.DONE);
    }
}
