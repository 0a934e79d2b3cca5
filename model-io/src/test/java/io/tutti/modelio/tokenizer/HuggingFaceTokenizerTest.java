package io.tutti.modelio.tokenizer;

import static io.tutti.modelio.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.Models;
import io.tutti.modelio.config.TextConfig;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class HuggingFaceTokenizerTest {
    private static final int VOCAB = 300;

    @TempDir
    Path dir;

    @Test
    void byteLevelTextEncodesAsTransformersDoes() {
        try (Tokenizer tokenizer = open(TokenizerFiles.byteLevel())) {
            int hello = 1 + 256 + 3;
            assertThat(tokenizer.encode("hello hello")).containsExactly(0, hello, hello + 1);
            assertThat(tokenizer.encode("")).containsExactly(0);
            assertThat(tokenizer.encode("h<s>h")).containsExactly(0, 'h' + 1, 0, 'h' + 1);
            assertThat(tokenizer.encode("<s>h<s>", false)).containsExactly(0, 'h' + 1, 0);
            assertThat(tokenizer.encode("é")).containsExactly(0, 0xC3 + 1, 0xA9 + 1);
            assertThat(tokenizer.decode(new int[] {0, hello, hello + 1}, true)).isEqualTo("hello hello");
            assertThat(tokenizer.decode(new int[] {0, hello}, false)).isEqualTo("<s>hello");
            assertThat(tokenizer.decode(new int[] {0xC3 + 1}, true)).isEqualTo("\uFFFD");
            assertThat(tokenizer.decode(new int[] {99_999, hello}, true)).isEqualTo("hello");
        }
    }

    @Test
    void sentencePieceTextDropsItsFirstSpace() {
        for (ObjectNode file : new ObjectNode[] {TokenizerFiles.byteFallback(), TokenizerFiles.metaspace()}) {
            try (Tokenizer tokenizer = open(file)) {
                int[] ids = tokenizer.encode("a b");
                assertThat(ids).containsExactly(1, 261, 262);
                assertThat(tokenizer.decode(ids, true)).isEqualTo("a b");
            }
        }
        try (Tokenizer tokenizer = open(TokenizerFiles.byteFallback())) {
            assertThat(tokenizer.encode("é")).containsExactly(1, 258, 0xC3 + 2, 0xA9 + 2);
            assertThat(tokenizer.decode(tokenizer.encode("é"), true)).isEqualTo("é");
        }
    }

    static Stream<Arguments> families() {
        return Stream.of(
                Arguments.of("byte level", TokenizerFiles.byteLevel()),
                Arguments.of("byte fallback", TokenizerFiles.byteFallback()),
                Arguments.of("metaspace", TokenizerFiles.metaspace()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    void streamedPartsTogetherAreTheWholeText(String family, ObjectNode file) {
        Random random = new Random(7);
        try (Tokenizer tokenizer = open(file)) {
            for (int round = 0; round < 2000; round++) {
                int[] ids = random.ints(random.nextInt(12), 0, 280).toArray();
                assertThat(streamed(tokenizer, ids)).as(Arrays.toString(ids)).isEqualTo(tokenizer.decode(ids, true));
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    void noPartEndsInHalfACharacter(String family, ObjectNode file) {
        try (Tokenizer tokenizer = open(file)) {
            TextStream stream = tokenizer.stream();
            StringBuilder text = new StringBuilder();
            String wanted = family.equals("metaspace") ? "a b ab" : "a 😀é b";
            for (int id : tokenizer.encode(wanted)) {
                String part = stream.push(id);
                assertThat(part).doesNotContain("\uFFFD");
                assertThat(part.isEmpty() || !Character.isHighSurrogate(part.charAt(part.length() - 1)))
                        .isTrue();
                text.append(part);
            }
            assertThat(text.append(stream.finish())).hasToString(wanted);
            assertThat(stream.finish()).isEmpty();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    void aContinuationKeepsTheSpaceBeforeIt(String family, ObjectNode file) {
        try (Tokenizer tokenizer = open(file)) {
            int[] before = tokenizer.encode("ab");
            int[] whole = tokenizer.encode("ab b");
            int[] added = Arrays.copyOfRange(whole, before.length, whole.length);
            assertThat(streamed(tokenizer.stream(before, true), added)).isEqualTo(" b");
            assertThat(streamed(tokenizer.stream(before, false), added)).isEqualTo(" b");
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    void aContinuationIsWhatItAddsToThePromptsText(String family, ObjectNode file) {
        Random random = new Random(11);
        String alphabet = "ab  ab";
        try (Tokenizer tokenizer = open(file)) {
            for (int round = 0; round < 500; round++) {
                String text = random.ints(random.nextInt(80), 0, alphabet.length())
                        .mapToObj(at -> alphabet.substring(at, at + 1))
                        .collect(Collectors.joining());
                int[] ids = tokenizer.encode(text);
                int cut = random.nextInt(ids.length + 1);
                int[] prompt = Arrays.copyOf(ids, cut);
                int[] added = Arrays.copyOfRange(ids, cut, ids.length);
                String wanted = tokenizer
                        .decode(ids, true)
                        .substring(tokenizer.decode(prompt, true).length());
                assertThat(streamed(tokenizer.stream(prompt, true), added))
                        .as("%s after %s", Arrays.toString(added), Arrays.toString(prompt))
                        .isEqualTo(wanted);
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    void aTextAfterSpecialTokensOnlyBeginsAsATextDoes(String family, ObjectNode file) {
        try (Tokenizer tokenizer = open(file)) {
            int[] special = tokenizer.encode("<s>", false);
            int[] ids = tokenizer.encode("ab b", false);
            assertThat(streamed(tokenizer.stream(special, true), ids)).isEqualTo("ab b");
        }
    }

    @Test
    void anUnfinishedCharacterIsFlushedAtTheEnd() {
        try (Tokenizer tokenizer = open(TokenizerFiles.byteLevel())) {
            TextStream stream = tokenizer.stream();
            assertThat(stream.push('x' + 1)).isEqualTo("x");
            assertThat(stream.push(0xE2 + 1)).isEmpty();
            assertThat(stream.finish()).isEqualTo("\uFFFD");
            assertThat(stream.push('y' + 1)).isEqualTo("y");
        }
    }

    static Stream<Arguments> broken() {
        return Stream.of(
                broken("model is missing", root -> root.remove("model"), "has no model"),
                broken("model is a list", root -> root.putArray("model"), "model is a JSON list"),
                broken("model type is unknown", root -> model(root).put("type", "Nope"), "not a tokenizer"),
                broken("vocab is missing", root -> model(root).remove("vocab"), "not a tokenizer"),
                broken("vocab is a number", root -> model(root).put("vocab", 3), "model.vocab is a JSON number"),
                broken(
                        "vocab of strings",
                        root -> model(root).withObject("vocab").put("q", "1"),
                        "\"q\""),
                broken("negative id", root -> model(root).withObject("vocab").put("q", -1), "\"q\""),
                broken("id past 2^31", root -> model(root).withObject("vocab").put("q", 1L << 31), "\"q\""),
                broken(
                        "unigram of numbers",
                        root -> model(root).putArray("vocab").add(1),
                        "model.vocab[0]"),
                broken(
                        "unigram without text",
                        root -> model(root).putArray("vocab").addArray().add(1),
                        "model.vocab[0][0]"),
                broken(
                        "merge of unknown tokens",
                        root -> model(root).putArray("merges").add("x y"),
                        "not a tokenizer"),
                broken("dropout", root -> model(root).put("dropout", 0.1), "model.dropout"),
                broken("dropout of text", root -> model(root).put("dropout", "no"), "model.dropout"),
                broken(
                        "subword prefix",
                        root -> model(root).put("continuing_subword_prefix", "##"),
                        "continuing_subword_prefix"),
                broken(
                        "unknown special token",
                        root -> template(root).putObject("special_tokens"),
                        "special_tokens",
                        "<s>"),
                broken(
                        "unknown special token of a pair",
                        root -> ((ObjectNode) root.at("/post_processor"))
                                .withArray("pair")
                                .addObject()
                                .putObject("SpecialToken")
                                .put("id", "q")
                                .put("type_id", 0),
                        "\"q\""),
                broken(
                        "unknown normalizer",
                        root -> root.set("normalizer", TokenizerFiles.step("X")),
                        "normalizer",
                        "\"X\"",
                        "NFC"),
                broken(
                        "unknown pre-tokenizer",
                        root -> root.set("pre_tokenizer", TokenizerFiles.step("FixedLength")),
                        "pre_tokenizer",
                        "FixedLength"),
                broken(
                        "unknown post-processor",
                        root -> root.set("post_processor", TokenizerFiles.step("X")),
                        "post_processor"),
                broken("unknown decoder", root -> root.set("decoder", TokenizerFiles.step("X")), "decoder"),
                broken(
                        "unknown decoder in a sequence",
                        root -> {
                            ObjectNode sequence = TokenizerFiles.step("Sequence");
                            sequence.putArray("decoders").add(TokenizerFiles.step("X"));
                            root.set("decoder", sequence);
                        },
                        "decoder",
                        "\"X\""),
                broken("decoder without type", root -> root.putObject("decoder"), "decoder"),
                broken(
                        "decoder that strips the end",
                        root -> root.set(
                                "decoder",
                                TokenizerFiles.step("Strip")
                                        .put("content", " ")
                                        .put("start", 0)
                                        .put("stop", 1)),
                        "decoder.stop = 1"),
                broken(
                        "ill-formed step",
                        root -> root.set(
                                "decoder", TokenizerFiles.step("Metaspace").put("replacement", "")),
                        "not a tokenizer"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("broken")
    void brokenFilesAreRefused(String kind, ObjectNode file, String[] named) {
        assertThat(assertRefused(() -> open(file).close(), named)).hasMessageContaining("tokenizer.json");
    }

    @Test
    void textThatIsNoTokenizerIsRefused() {
        assertRefused(() -> open("").close(), "tokenizer.json", "empty");
        assertRefused(() -> open("[]").close(), "tokenizer.json", "list");
        assertRefused(() -> open("{}").close(), "tokenizer.json", "has no model");
        assertRefused(() -> open("{\"model\":{}}").close(), "not a tokenizer");
        assertRefused(() -> open("version https://git-lfs\n").close(), "tokenizer.json", "Git LFS pointer");
        assertRefused(() -> open("\uFEFF{}").close(), "byte-order mark");
        assertRefused(
                () -> HuggingFaceTokenizer.open(dir.resolve("absent.json"), VOCAB), "absent.json", "no such file");
    }

    @Test
    void aReasonThatHoldsWhatTheFileSaysIsCut() {
        ObjectNode root = TokenizerFiles.metaspace().put("version", "x".repeat(5_000));
        ModelException refused = assertRefused(() -> open(root).close(), "not a tokenizer", "version 'xxx", "…");
        assertThat(refused.getMessage()).hasSizeLessThan(500);
    }

    @Test
    void aUnigramVocabularyIsCountedByPlace() {
        ObjectNode root = TokenizerFiles.metaspace();
        ObjectNode model =
                root.putObject("model").put("type", "Unigram").put("unk_id", 0).put("byte_fallback", false);
        for (String token : new String[] {"<unk>", "<s>", "▁a", "b"}) {
            model.withArray("vocab").addArray().add(token).add(-1.0);
        }
        try (Tokenizer tokenizer = open(root)) {
            assertThat(tokenizer.encode("ab")).containsExactly(1, 2, 3);
        }
        try (Tokenizer tokenizer = HuggingFaceTokenizer.open(dir.resolve("tokenizer.json"), 3)) {
            assertThat(tokenizer.notes()).singleElement().asString().contains("up to 3", "only 3 tokens");
            assertRefused(() -> tokenizer.encode("ab"), "\"b\"", "id 3", "only 3 tokens");
        }
        try (Tokenizer tokenizer = HuggingFaceTokenizer.open(dir.resolve("tokenizer.json"), 4)) {
            assertThat(tokenizer.notes()).isEmpty();
        }
    }

    @Test
    void anAddedTokenThatTheModelLacksIsRefusedWhereATextHoldsIt() {
        ObjectNode root = TokenizerFiles.byteLevel();
        ObjectNode added = root.withArray("added_tokens").get(0).deepCopy();
        root.withArray("added_tokens").add(added.put("id", 262).put("content", "<pad>"));
        open(root).close();
        try (Tokenizer tokenizer = HuggingFaceTokenizer.open(dir.resolve("tokenizer.json"), 262)) {
            assertThat(tokenizer.encode("h")).containsExactly(0, 'h' + 1);
            assertRefused(() -> tokenizer.encode("h<pad>"), "<pad>", "262");
        }
    }

    @Test
    void halfASurrogatePairIsRefused() {
        try (Tokenizer tokenizer = open(TokenizerFiles.byteLevel())) {
            assertRefused(() -> tokenizer.encode("a\uD83D"), "surrogate");
        }
    }

    @Test
    void aClosedTokenizerIsNotUsed() {
        Tokenizer tokenizer = open(TokenizerFiles.byteLevel());
        tokenizer.close();
        tokenizer.close();
        assertThatThrownBy(() -> tokenizer.encode("a")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> tokenizer.decode(new int[] {1}, true)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void theConfigSaysWhichTokenizerAModelHas() {
        TextConfig none = Models.config(dir, Models.CONFIG);
        assertRefused(() -> Tokenizers.open(dir, none), dir.toString(), "tokenizer.json", "--tokens");
        TextConfig ours =
                Models.config(dir, "{\"tl_arch\": \"bigram\", \"tl_tokenizer\": \"byte\", \"vocab_size\": 256}");
        assertThat(Tokenizers.open(dir, ours)).isInstanceOf(ByteTokenizer.class);
        TextConfig named =
                Models.config(dir, "{\"tl_arch\": \"bigram\", \"tl_tokenizer\": \"hf\", \"vocab_size\": 300}");
        assertRefused(() -> Tokenizers.open(dir, named), "tokenizer.json", "no such file");
        Models.write(dir, "tokenizer.json", TokenizerFiles.byteLevel().toString());
        try (Tokenizer tokenizer = Tokenizers.open(dir, named)) {
            assertThat(tokenizer).isInstanceOf(HuggingFaceTokenizer.class);
        }
    }

    private Tokenizer open(ObjectNode file) {
        return open(file.toString());
    }

    private Tokenizer open(String json) {
        return HuggingFaceTokenizer.open(Models.write(dir, "tokenizer.json", json), VOCAB);
    }

    private static String streamed(Tokenizer tokenizer, int[] ids) {
        return streamed(tokenizer.stream(), ids);
    }

    private static String streamed(TextStream stream, int[] ids) {
        StringBuilder text = new StringBuilder();
        for (int id : ids) {
            text.append(stream.push(id));
        }
        return text.append(stream.finish()).toString();
    }

    private static Arguments broken(String kind, Consumer<ObjectNode> edit, String... named) {
        ObjectNode root = TokenizerFiles.byteLevel();
        edit.accept(root);
        return Arguments.of(kind, root, named);
    }

    private static ObjectNode model(ObjectNode root) {
        return (ObjectNode) root.get("model");
    }

    private static ObjectNode template(ObjectNode root) {
        return (ObjectNode) root.get("post_processor");
    }
}
