package io.tutti.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.base.TuttiException;
import io.tutti.engine.golden.Golden;
import io.tutti.engine.golden.Runs;
import io.tutti.engine.runner.EngineException;
import io.tutti.modelio.ModelException;
import io.tutti.runtime.generate.GenerationListener;
import io.tutti.runtime.generate.GenerationRequest;
import io.tutti.runtime.generate.GenerationResult;
import io.tutti.runtime.generate.GenerationResult.Finish;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** What a Java program does with a model. */
@TestInstance(Lifecycle.PER_CLASS)
class ModelTest {

    private static final ModelOptions HOST =
            ModelOptions.builder().device("host").threads(2).build();
    private static final Path DEMO = new Golden.Model("demo").dir();
    private static final Golden.Model TINY = new Golden.Model("tiny-llama");

    private Model demo;

    @BeforeAll
    void open() {
        demo = Model.open(DEMO.toString(), HOST);
    }

    @AfterAll
    void close() {
        demo.close();
    }

    private RequestBuilder request() {
        return demo.request()
                .prompt("It is a truth")
                .maxTokens(12)
                .temperature(0.8)
                .seed(7);
    }

    @Test
    void aTextStreamsAsItIsReturned() {
        StringBuilder streamed = new StringBuilder();
        GenerationResult result = demo.generate(request().build(), GenerationListener.text(streamed::append));
        assertThat(result.tokens()).hasSize(12);
        assertThat(result.finish()).isEqualTo(Finish.LENGTH);
        assertThat(streamed).isNotEmpty().hasToString(result.text());
    }

    @Test
    void theSameSeedGivesTheSameTextAndAnotherSeedAnother() {
        String text = demo.generate(request().build()).text();
        assertThat(demo.generate(request().build()).text()).isEqualTo(text);
        assertThat(demo.generate(request().seed(8).build()).text()).isNotEqualTo(text);
    }

    @Test
    void aCancelledTextReturnsWhatIsThere() {
        AtomicInteger tokens = new AtomicInteger();
        GenerationListener count = new GenerationListener() {
            @Override
            public void token(int id, String text) {
                tokens.incrementAndGet();
            }
        };
        GenerationResult result = demo.generate(request().build(), count, () -> tokens.get() == 3);
        assertThat(result.finish()).isEqualTo(Finish.CANCELLED);
        assertThat(result.tokens())
                .containsExactly(Arrays.copyOf(demo.generate(request().build()).tokens(), 3));
    }

    @Test
    void aStopTextEndsTheText() {
        String text = demo.generate(request().build()).text();
        String word = text.strip().split(" ", -1)[1];
        GenerationResult result = demo.generate(request().stop(word).build());
        assertThat(result.finish()).isEqualTo(Finish.STOP);
        assertThat(result.text()).isEqualTo(text.substring(0, text.indexOf(word)));
    }

    @Test
    void logprobsAreGivenWhereTheyAreAskedFor() {
        assertThat(demo.generate(request().build()).logprobs()).isEmpty();
        double[] logprobs = demo.generate(request().logprobs().build()).logprobs();
        assertThat(logprobs).hasSize(12);
        assertThat(Arrays.stream(logprobs).max().orElseThrow()).isNotPositive();
    }

    @Test
    void aTextEndsWhereTheCacheIsFull() {
        ModelOptions small =
                ModelOptions.builder().device("host").cachePositions(16).build();
        try (Model model = Model.open(DEMO, small)) {
            GenerationRequest request = model.request()
                    .prompt("It is a truth")
                    .maxTokens(500)
                    .ignoreEnds()
                    .build();
            GenerationResult result = model.generate(request);
            assertThat(result.finish()).isEqualTo(Finish.LENGTH);
            assertThat(request.prompt().length + result.tokens().length).isEqualTo(model.room() + 1);
            assertThatThrownBy(() -> model.generate(GenerationRequest.greedy(new int[17], 1)))
                    .isInstanceOf(PromptException.class)
                    .hasMessage("the prompt has 17 tokens; accepted: at most 16, the room of the cache");
        }
    }

    @Test
    void everyRefusalIsTyped() {
        assertThatThrownBy(() -> Model.open("no/such/model/here"))
                .isInstanceOf(NoSuchModelException.class)
                .hasMessageStartingWith("no/such/model/here: no such directory; accepted: ");
        assertThatThrownBy(() -> Model.open("nobody/nothing-of-this-name"))
                .isInstanceOf(TuttiException.class)
                .hasMessageContaining("nobody/nothing-of-this-name");
        assertThatThrownBy(() -> Model.open(Golden.HOME.resolve("vectors"), HOST))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("config.json");
        assertThatThrownBy(() -> Model.open(
                        DEMO, ModelOptions.builder().device("opencl:99").build()))
                .isInstanceOf(DeviceChoiceException.Unknown.class)
                .hasMessageMatching("device is \"opencl:99\", which is not there.*; accepted: auto, host.*");
        assertThatThrownBy(() ->
                        Model.open(DEMO, ModelOptions.builder().context(1 << 30).build()))
                .isInstanceOf(EngineException.class)
                .hasMessageStartingWith("context is 1073741824; accepted: 1 to ");
        assertThatThrownBy(() -> ModelOptions.builder().threads(0))
                .isInstanceOf(EngineException.class)
                .hasMessage("threads is 0; accepted: at least 1");
        assertThatThrownBy(() -> demo.request().temperature(-1))
                .isInstanceOf(TuttiException.class)
                .hasMessageStartingWith("temperature is -1.0; accepted: ");
        assertThatThrownBy(() -> demo.request().prompt("x ".repeat(10_000)))
                .isInstanceOf(PromptException.class)
                .hasMessageContaining("the context of " + DEMO);
        assertThatThrownBy(() -> demo.request().build())
                .isInstanceOf(PromptException.class)
                .hasMessageContaining("no tokens");
        assertThatThrownBy(() -> demo.request().tokens(1, -5))
                .isInstanceOf(PromptException.class)
                .hasMessageStartingWith("the prompt has the token id -5 at place 2; accepted: 0 to ");
        assertThatThrownBy(() -> demo.request().prompt("a").stop("").build())
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("stop text is empty");
        assertThatThrownBy(demo::chat)
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith(DEMO + ": has no chat template; accepted: ");
    }

    @Test
    void logitsOfAllTokensEndWithThoseOfTheLast() {
        int[] tokens = TINY.prompts().getLast().tokens();
        try (Model model = Model.open(TINY.dir(), HOST)) {
            float[] last = model.logits(tokens);
            List<float[]> rows = new ArrayList<>();
            model.logits(tokens, true, 3, (_, _, part) -> rows.add(part.clone()));
            float[] end = rows.getLast();
            assertThat(Arrays.copyOfRange(end, end.length - last.length, end.length))
                    .isEqualTo(last);
            assertThat(rows.stream().mapToInt(part -> part.length).sum()).isEqualTo(tokens.length * last.length);
            float[] want = TINY.reference("p" + TINY.prompts().getLast().index() + ".logits_f16");
            assertThat(Runs.bits(last))
                    .isEqualTo(Runs.bits(Arrays.copyOfRange(want, want.length - last.length, want.length)));
        }
    }

    @Test
    void logitsStayWhatTheyWereWhenTheModelGoesOn() {
        try (Model model = Model.open(TINY.dir(), HOST)) {
            float[] first = model.logits(1, 2, 3);
            float[] before = first.clone();
            model.logits(4, 5, 6);
            assertThat(Runs.bits(first)).isEqualTo(Runs.bits(before));
        }
    }

    @Test
    void anEmbeddingIsThePooledHiddenStatesAtLengthOne() {
        int[] tokens = TINY.prompts().get(2).tokens();
        float[] states = TINY.reference("p2.hidden_f16");
        int width = states.length / tokens.length;
        float[] lastState = Arrays.copyOfRange(states, states.length - width, states.length);
        double[] mean = new double[width];
        for (int i = 0; i < states.length; i++) {
            mean[i % width] += states[i] / (double) tokens.length;
        }
        try (Model model = Model.open(TINY.dir(), HOST)) {
            assertPointsAlong(model.embedding(tokens, Pooling.MEAN), mean);
            double[] last = new double[width];
            Arrays.setAll(last, e -> lastState[e]);
            assertPointsAlong(model.embedding(tokens, Pooling.LAST), last);
        }
    }

    private static void assertPointsAlong(float[] unit, double[] direction) {
        double product = 0;
        double length = 0;
        double unitLength = 0;
        for (int e = 0; e < unit.length; e++) {
            product += unit[e] * direction[e];
            length += direction[e] * direction[e];
            unitLength += (double) unit[e] * unit[e];
        }
        assertThat(unitLength).isBetween(0.999999, 1.000001);
        assertThat(product / Math.sqrt(length)).isBetween(0.999999, 1.000001);
    }

    @Test
    void aModelWithoutHiddenStatesHasNoEmbedding() {
        try (Model model = Model.open(new Golden.Model("bigram").dir(), HOST)) {
            assertThatThrownBy(() -> model.embedding("abc", Pooling.MEAN))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("no hidden states");
        }
    }

    @Test
    void threadsThatShareAModelGetTheTextsThatTheyWouldGetAlone() throws Exception {
        List<GenerationRequest> requests = new ArrayList<>();
        for (String prompt : List.of("She was", "It was", "He had", "They were")) {
            requests.add(demo.request().prompt(prompt).maxTokens(6).build());
        }
        List<String> alone =
                requests.stream().map(request -> demo.generate(request).text()).toList();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<String>> calls = requests.stream()
                    .<Callable<String>>map(
                            request -> () -> demo.generate(request).text())
                    .toList();
            List<String> together = new ArrayList<>();
            for (var future : threads.invokeAll(calls)) {
                together.add(future.get());
            }
            assertThat(together).isEqualTo(alone);
        }
    }

    @Test
    void aListenerMustNotUseItsModel() {
        GenerationRequest request = request().build();
        assertThatThrownBy(() -> demo.generate(request, GenerationListener.text(_ -> demo.logits(request.prompt()))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a listener must not use the model");
        assertThat(demo.generate(request).tokens()).hasSize(12);
    }

    @Test
    void itsNotesSayWhichDeviceRunsIt() {
        ModelOptions auto = ModelOptions.builder().device("auto").build();
        try (Model model = Model.open(DEMO, auto)) {
            assertThat(model.notes())
                    .anyMatch(note -> note.startsWith("device " + model.device().name()));
        }
    }
}
