package io.tutti.modelio.tokenizer;

import static io.tutti.modelio.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tutti.modelio.Golden;
import io.tutti.modelio.Models;
import io.tutti.modelio.config.TextConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tokenizers as transformers has them, from golden/make/tokenizer_cases.py. */
class GoldenTokenizersTest {
    private static final int VOCAB = 20_000;
    private static final JsonNode CASES = Golden.vectors("tokenizer-cases.json");
    private static final JsonNode CASES_4 = Golden.vectors("tokenizer-cases-4.json");

    @TempDir
    Path dir;

    static Stream<Arguments> merged() {
        return cases(CASES, "cases");
    }

    static Stream<Arguments> rebuilt() {
        return cases(CASES, "llama")
                .filter(arguments ->
                        ((JsonNode) arguments.get()[1]).path("class").asText().equals("LlamaTokenizer"));
    }

    static Stream<Arguments> legacy() {
        return cases(CASES_4, "cases");
    }

    static Stream<Arguments> classes() {
        return cases(CASES, "classes");
    }

    private static Stream<Arguments> cases(JsonNode vectors, String list) {
        List<Arguments> cases = new ArrayList<>();
        vectors.get(list).forEach(node -> cases.add(Arguments.of(cases.size(), node)));
        assertThat(cases).isNotEmpty();
        return cases.stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("merged")
    void tokensOfTheFilesBesideTokenizerJsonAreMergedAsTransformersMergesThem(int number, JsonNode example)
            throws IOException {
        check(CASES, example, LlamaPipeline.LEGACY);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("legacy")
    void llamaTokenizersEncodeAsInTransformers4(int number, JsonNode example) throws IOException {
        check(CASES_4, example, LlamaPipeline.LEGACY);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rebuilt")
    void rebuiltLlamaTokenizersEncodeAsInTransformers5(int number, JsonNode example) throws IOException {
        check(CASES, example, LlamaPipeline.REBUILT);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("classes")
    void theClassThatTransformersLoadsSaysWhetherThereIsAChoice(int number, JsonNode example) throws IOException {
        write(CASES, example);
        if (example.get("tokenizer_class").isTextual()) {
            ObjectNode file = JsonNodeFactory.instance
                    .objectNode()
                    .put("tokenizer_class", example.get("tokenizer_class").textValue());
            Models.write(dir, TokenFiles.CONFIG, file.toString());
        }
        TextConfig config = Models.config(
                dir,
                Models.CONFIG.replace(
                        "\"llama\"", '"' + example.get("model_type").textValue() + "\", \"num_key_value_heads\": 2"));
        assertThat(LlamaPipeline.isChoice(dir, config))
                .isEqualTo(example.get("class").textValue().equals("LlamaTokenizer"));
    }

    static Stream<Arguments> continuations() {
        return cases(CASES, "continuations");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("continuations")
    void aContinuationIsWhatItAddsToThePromptsText(int number, JsonNode example) throws IOException {
        try (Tokenizer tokenizer = HuggingFaceTokenizer.open(write(CASES, example), VOCAB)) {
            TextStream stream = tokenizer.stream(ints(example.get("prompt")), true);
            StringBuilder text = new StringBuilder();
            for (int id : ints(example.get("ids"))) {
                text.append(stream.push(id));
            }
            assertThat(text.append(stream.finish()).toString())
                    .as("%s: %s after %s", example.get("base"), example.get("ids"), example.get("prompt"))
                    .isEqualTo(example.get("text").textValue());
        }
    }

    private static int[] ints(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false)
                .mapToInt(JsonNode::intValue)
                .toArray();
    }

    private void check(JsonNode vectors, JsonNode example, LlamaPipeline pipeline) throws IOException {
        Path file = write(vectors, example);
        if (example.get("texts").isNull()) {
            assertRefused(() -> HuggingFaceTokenizer.open(file, VOCAB, pipeline).close(), ".json: ");
            return;
        }
        try (Tokenizer tokenizer = HuggingFaceTokenizer.open(file, VOCAB, pipeline)) {
            int at = 0;
            for (JsonNode want : example.get("texts")) {
                String text = vectors.get("texts").get(at++).textValue();
                int[] ids = ints(want.get("ids"));
                assertThat(tokenizer.encode(text)).as(text).containsExactly(ids);
                if (want.has("decoded")) {
                    assertThat(tokenizer.decode(ids, false))
                            .as(text)
                            .isEqualTo(want.get("decoded").textValue());
                    assertThat(tokenizer.decode(ids, true))
                            .as(text)
                            .isEqualTo(want.get("shown").textValue());
                }
                assertThat(tokenizer.leastTokens(text)).as(text).isLessThanOrEqualTo(ids.length);
            }
        }
    }

    /** Writes the files of an example; returns its tokenizer.json. */
    private Path write(JsonNode vectors, JsonNode example) throws IOException {
        ObjectNode root =
                vectors.get("bases").get(example.get("base").textValue()).deepCopy();
        if (example.has("added_tokens")) {
            root.set("added_tokens", example.get("added_tokens"));
        }
        for (var named : example.path("files").properties()) {
            Files.writeString(dir.resolve(named.getKey()), named.getValue().toString());
        }
        return Models.write(dir, TokenizerFile.NAME, root.toString());
    }
}
