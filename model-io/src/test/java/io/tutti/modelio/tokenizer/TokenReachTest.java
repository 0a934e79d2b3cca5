package io.tutti.modelio.tokenizer;

import static io.tutti.modelio.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tutti.modelio.Models;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is known of a text's length in tokens before it is encoded. */
class TokenReachTest {
    private static final String[] PIECES = {
        "hello",
        " hello",
        "a",
        "b",
        " ",
        "  ",
        "\n",
        "\t",
        "\0",
        "▁",
        "é",
        "e\u0301",
        "ι\u0308\u0301",
        "\u1FBE\u0308\u0341",
        "\u212B",
        "각",
        "\u1100\u1161\u11A8",
        "😀",
        "<s>",
        "1",
        "."
    };

    @TempDir
    Path dir;

    private static Arguments file(String kind, ObjectNode root, Consumer<ObjectNode> edit) {
        edit.accept(root);
        return Arguments.of(kind, root);
    }

    private static ObjectNode split(String behavior) {
        ObjectNode split =
                TokenizerFiles.step("Split").put("behavior", behavior).put("invert", false);
        split.putObject("pattern").put("String", " ");
        return split;
    }

    private static ObjectNode vocabulary(ObjectNode root) {
        return (ObjectNode) root.at("/model/vocab");
    }

    private static ObjectNode added(ObjectNode root) {
        return (ObjectNode) root.at("/added_tokens/0");
    }

    static Stream<Arguments> bounded() {
        return Stream.of(
                file("byte level", TokenizerFiles.byteLevel(), _ -> {}),
                file("byte fallback", TokenizerFiles.byteFallback(), _ -> {}),
                file("metaspace", TokenizerFiles.metaspace(), _ -> {}),
                file(
                        "letters composed first",
                        TokenizerFiles.byteLevel(),
                        root -> root.set("normalizer", TokenizerFiles.step("NFC"))),
                file(
                        "bytes without a token are left out",
                        TokenizerFiles.byteLevel(),
                        root -> vocabulary(root).remove("Ċ")),
                file(
                        "spaces by themselves",
                        TokenizerFiles.byteFallback(),
                        root -> root.set("pre_tokenizer", split("Isolated"))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bounded")
    void noTextHasFewerTokens(String kind, ObjectNode file) {
        Random random = new Random(11);
        try (Tokenizer tokenizer = open(file)) {
            for (int round = 0; round < 3000; round++) {
                StringBuilder text = new StringBuilder();
                for (int pieces = random.nextInt(20); pieces > 0; pieces--) {
                    text.append(PIECES[random.nextInt(PIECES.length)].repeat(1 + random.nextInt(3)));
                }
                assertThat(tokenizer.leastTokens(text.toString()))
                        .as("%s", text)
                        .isLessThanOrEqualTo(tokenizer.encode(text.toString(), false).length);
            }
            assertThat(tokenizer.leastTokens("ab".repeat(1 << 20))).isGreaterThan(1 << 15);
            assertThat(tokenizer.leastTokens("")).isZero();
            assertRefused(() -> tokenizer.leastTokens("a\uD83D"), "surrogate");
        }
    }

    static Stream<Arguments> unbounded() {
        return Stream.of(
                file("spaces are cut off", TokenizerFiles.byteLevel(), root -> root.set("normalizer", strip())),
                file(
                        "letters are folded",
                        TokenizerFiles.byteLevel(),
                        root -> root.set("normalizer", TokenizerFiles.step("Lowercase"))),
                file(
                        "spaces are left out",
                        TokenizerFiles.byteFallback(),
                        root -> root.set("pre_tokenizer", split("Removed"))),
                file(
                        "an added token takes the spaces beside it",
                        TokenizerFiles.byteLevel(),
                        root -> added(root).put("lstrip", true)),
                file("a byte has no token to fall back on", TokenizerFiles.byteFallback(), root -> {
                    vocabulary(root).remove("<0x61>");
                    vocabulary(root).put("q", 2 + 'a');
                }),
                file(
                        "no byte has a token",
                        TokenizerFiles.byteFallback(),
                        root -> ((ObjectNode) root.get("model")).put("byte_fallback", false)));
    }

    private static ObjectNode strip() {
        return TokenizerFiles.step("Strip").put("strip_left", true).put("strip_right", true);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("unbounded")
    void nothingIsSaidWhereTextMayGetLost(String kind, ObjectNode file) {
        try (Tokenizer tokenizer = open(file)) {
            assertThat(tokenizer.leastTokens("ab".repeat(1 << 20))).isZero();
        }
    }

    @Test
    void theLongestTokenCountsTheBytesThatItStandsFor() {
        try (Tokenizer tokenizer = open(TokenizerFiles.byteLevel())) {
            // "Ġhello" has six, whatever UTF-8 makes of Ġ.
            assertThat(tokenizer.leastTokens(" hello".repeat(100))).isEqualTo(100);
        }
        Tokenizer bytes = ByteTokenizer.of(dir, 256);
        assertThat(bytes.leastTokens("é😀")).isEqualTo(6);
    }

    private Tokenizer open(ObjectNode file) {
        return HuggingFaceTokenizer.open(Models.write(dir, "tokenizer.json", file.toString()), 300);
    }
}
