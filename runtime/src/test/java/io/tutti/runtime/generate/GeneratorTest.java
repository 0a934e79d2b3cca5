package io.tutti.runtime.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.engine.golden.Golden;
import io.tutti.engine.golden.Runs;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.EngineException;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvException;
import io.tutti.modelio.tokenizer.HuggingFaceTokenizer;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.modelio.tokenizer.Tokenizers;
import io.tutti.runtime.generate.GenerationResult.Finish;
import io.tutti.sample.ParallelFor;
import io.tutti.sample.SamplingParams;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The loop, on a bigram that goes through the alphabet, so that every text is known. */
class GeneratorTest {

    private static final Golden.Model BIGRAM = new Golden.Model("bigram");
    private static final SamplingParams GREEDY = SamplingParams.greedy();

    @TempDir
    Path dir;

    private ModelRunner runner;
    private Tokenizer tokenizer;
    private Generator generator;

    @BeforeEach
    void load() {
        runner = Runs.load(BIGRAM.dir(), EngineConfig.defaults());
        tokenizer = Tokenizers.open(BIGRAM.dir(), runner.config().text());
        generator = new Generator(runner, Optional.of(tokenizer), ParallelFor.SERIAL);
    }

    @AfterEach
    void close() {
        assertThat(runner.pool().used()).as("blocks that were not given back").isZero();
        tokenizer.close();
        runner.close();
    }

    @Test
    void aTextEndsWithTheTokensAskedFor() {
        GenerationResult result = generate(request("a", 5, List.of(), List.of()));
        assertThat(result.text()).isEqualTo("bcdef");
        assertThat(result.tokens()).containsExactly('b', 'c', 'd', 'e', 'f');
        assertThat(result.finish()).isEqualTo(Finish.LENGTH);
        assertThat(result.logprobs()).isEmpty();
    }

    @Test
    void aTextThatContinuesThePromptKeepsTheSpaceBetweenThem() {
        try (Tokenizer words = words()) {
            assertThat(textAfter(words, new int[] {'a'}, List.of(), false)).isEqualTo(" Paris now");
            assertThat(textAfter(words, new int[] {'a'}, List.of(" now"), false))
                    .isEqualTo(" Paris");
        }
    }

    @Test
    void aTextOfItsOwnBeginsWithoutASpace() {
        try (Tokenizer words = words()) {
            assertThat(textAfter(words, new int[] {'a'}, List.of(), true)).isEqualTo("Paris now");
        }
    }

    @Test
    void aTextAfterSpecialTokensAloneBeginsWithoutASpace() {
        try (Tokenizer words = words()) {
            assertThat(textAfter(words, new int[] {'`', 'a'}, List.of(), false)).isEqualTo(" Paris now");
            assertThat(textAfter(words, new int[] {'`'}, List.of(), false)).isEqualTo("France Paris");
            assertThat(textAfter(words, new int[] {'`'}, List.of("ce P"), false))
                    .isEqualTo("Fran");
        }
    }

    @Test
    void aStopTextRightAfterASpecialTokenIsNotShownInPart() {
        try (Tokenizer words = words()) {
            for (String stop : List.of("Hello", "<turn> Hell", "<turn>")) {
                assertThat(textAfter(words, new int[] {'c'}, List.of(stop), true))
                        .as("before %s, where \"<turn> Hello\" is written and \"Hello\" shown", stop)
                        .isEmpty();
            }
            assertThat(textAfter(words, new int[] {'c'}, List.of("llo"), true)).isEqualTo("He");
        }
    }

    /** Two tokens more, where the tokens a, b, c and e are words that begin with a space; d and the one before a are special. */
    private String textAfter(Tokenizer words, int[] prompt, List<String> stopTexts, boolean ownText) {
        return new Generator(runner, Optional.of(words), ParallelFor.SERIAL)
                .generate(
                        new GenerationRequest(
                                prompt, 2, GREEDY, 0, Stops.at(stopTexts), false, Integer.MAX_VALUE, ownText),
                        GenerationListener.NONE,
                        () -> false)
                .text();
    }

    /** A decoder that drops the space at the start of a text, as SentencePiece's do. */
    private Tokenizer words() {
        String json = """
                {"version": "1.0",
                 "added_tokens": [{"id": 96, "content": "<s>", "single_word": false, "lstrip": false, "rstrip": false,
                                   "normalized": false, "special": true},
                                  {"id": 100, "content": "<turn>", "single_word": false, "lstrip": false,
                                   "rstrip": false, "normalized": false, "special": true}],
                 "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
                 "model": {"type": "WordLevel", "unk_token": "<s>",
                           "vocab": {"<s>": 96, "▁France": 97, "▁Paris": 98, "▁now": 99, "<turn>": 100, "▁Hello": 101}}}
                """;
        try {
            return HuggingFaceTokenizer.open(Files.writeString(dir.resolve("tokenizer.json"), json), 256);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aStopTokenEndsTheTextAndIsNotPartOfIt() {
        GenerationResult result = generate(request("a", 50, List.of((int) 'e'), List.of()));
        assertThat(result.text()).isEqualTo("bcd");
        assertThat(result.finish()).isEqualTo(Finish.STOP);
    }

    @Test
    void aStopTextEndsTheTextBeforeItAndNothingOfItIsStreamed() {
        List<String> streamed = new ArrayList<>();
        GenerationResult result = generator.generate(
                request("a", 50, List.of(), List.of("fgh")),
                new GenerationListener() {
                    @Override
                    public void token(int id, String text) {
                        streamed.add(text);
                    }

                    @Override
                    public void end(String text) {
                        streamed.add(text);
                    }
                },
                () -> false);
        assertThat(result.text()).isEqualTo("bcde");
        assertThat(String.join("", streamed)).isEqualTo("bcde");
        assertThat(result.tokens()).endsWith('f', 'g', 'h');
        assertThat(result.finish()).isEqualTo(Finish.STOP);
    }

    @Test
    void theEndOfTheContextEndsTheText() {
        int context = runner.config().maxPositionEmbeddings();
        GenerationResult result = generate(request("x".repeat(context - 2), 50, List.of(), List.of()));
        assertThat(result.tokens()).hasSize(2);
        assertThat(result.finish()).isEqualTo(Finish.LENGTH);
        GenerationResult full = generate(request("x".repeat(context), 50, List.of(), List.of()));
        assertThat(full.tokens()).hasSize(1);
        assertThatThrownBy(() -> generate(request("x".repeat(context + 1), 5, List.of(), List.of())))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining((context + 1) + " tokens")
                .hasMessageContaining(String.valueOf(context));
    }

    @Test
    void cancellingKeepsWhatIsThere() {
        AtomicInteger steps = new AtomicInteger();
        GenerationResult result = generator.generate(
                request("a", 50, List.of(), List.of()), GenerationListener.NONE, () -> steps.incrementAndGet() > 4);
        assertThat(result.finish()).isEqualTo(Finish.CANCELLED);
        assertThat(result.text()).isEqualTo("bcde");
        GenerationResult none =
                generator.generate(request("a", 50, List.of(), List.of()), GenerationListener.NONE, () -> true);
        assertThat(none.finish()).isEqualTo(Finish.CANCELLED);
        assertThat(none.tokens()).isEmpty();
    }

    @Test
    void aFailingListenerLeavesNoBlockBehind() {
        GenerationListener failing = new GenerationListener() {
            @Override
            public void token(int id, String text) {
                throw new IllegalStateException("closed pipe");
            }
        };
        assertThatThrownBy(() -> generator.generate(request("a", 50, List.of(), List.of()), failing, () -> false))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aPoolTooSmallIsSaidAndLeavesNoBlockBehind() {
        try (ModelRunner small = Runs.load(
                new Golden.Model("tiny-llama").dir(),
                EngineConfig.defaults().withKvBlocks(1).withBlockTokens(4))) {
            Generator tight = new Generator(small, Optional.empty(), ParallelFor.SERIAL);
            assertThatThrownBy(() -> tight.generate(
                            request("abc", 5, List.of(), List.of()), GenerationListener.NONE, () -> false))
                    .isInstanceOf(KvException.Exhausted.class);
            assertThat(small.pool().used()).isZero();
        }
    }

    @Test
    void aSeedGivesTheSameTokensAndLogprobsInChunksOfAnySize() {
        try (ModelRunner llama = Runs.load(new Golden.Model("tiny-llama").dir(), EngineConfig.defaults())) {
            Generator sampling = new Generator(llama, Optional.empty(), ParallelFor.SERIAL);
            SamplingParams params = new SamplingParams(0.9, 40, 0.95, 0, 1.1, 0.1, 0.1);
            GenerationResult want = null;
            for (int chunk : new int[] {1, 3, 7, 1000}) {
                GenerationRequest request = new GenerationRequest(
                        tokenizer.encode("Same seed, same bits."), 40, params, -1L, Stops.NONE, true, chunk, false);
                GenerationResult got = sampling.generate(request, GenerationListener.NONE, () -> false);
                want = want == null ? got : want;
                assertThat(got.tokens()).isEqualTo(want.tokens());
                assertThat(got.logprobs()).isEqualTo(want.logprobs());
            }
            assertThat(want.logprobs()).hasSize(40);
            assertThat(Arrays.stream(want.logprobs())).allMatch(logprob -> logprob < 0);
        }
    }

    @Test
    void aStopTextNeedsATokenizer() {
        Generator tokensOnly = new Generator(runner, Optional.empty(), ParallelFor.SERIAL);
        assertThatThrownBy(() -> tokensOnly.generate(
                        request("a", 5, List.of(), List.of("x")), GenerationListener.NONE, () -> false))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("tokenizer");
    }

    @Test
    void requestsThatMeanNothingAreRefused() {
        assertThatThrownBy(() -> request("", 5, List.of(), List.of())).hasMessageContaining("no tokens");
        assertThatThrownBy(() -> request("a", 0, List.of(), List.of())).hasMessageContaining("max tokens is 0");
        assertThatThrownBy(() -> request("a", 5, List.of(), List.of(""))).hasMessageContaining("stop text is empty");
        assertThatThrownBy(() -> new GenerationRequest(new int[] {1}, 1, GREEDY, 0, Stops.NONE, false, 0, false))
                .hasMessageContaining("chunk is 0");
    }

    private GenerationResult generate(GenerationRequest request) {
        return generator.generate(request, GenerationListener.NONE, () -> false);
    }

    private GenerationRequest request(String prompt, int maxTokens, List<Integer> stopTokens, List<String> stopTexts) {
        return new GenerationRequest(
                tokenizer.encode(prompt),
                maxTokens,
                GREEDY,
                0,
                new Stops(stopTokens, stopTexts),
                false,
                Integer.MAX_VALUE,
                false);
    }
}
