package io.tutti.modelio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.modelio.config.TextConfig;
import io.tutti.modelio.safetensors.Checkpoint;
import io.tutti.modelio.safetensors.TensorWindow;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.modelio.tokenizer.TokenizerFixtures;
import io.tutti.modelio.tokenizer.Tokenizers;
import java.nio.file.Path;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Large files made to cost as much heap for a byte as possible. */
class ReadingBudgetTest {
    private static final int MANY = 100_000;

    @TempDir
    Path dir;

    static Stream<Arguments> headers() {
        return Stream.of(
                Arguments.of(
                        "empty tensors",
                        object(i -> name(i) + ":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}")),
                Arguments.of("metadata", "{\"__metadata__\":" + object(i -> name(i) + ":\"\"") + "}"),
                Arguments.of(
                        "sizes", "{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,0],\"shape\":" + list(i -> "0") + "}}"),
                Arguments.of(
                        "large sizes",
                        "{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,0],\"shape\":[0,"
                                + list(i -> "999").substring(1) + "}}"),
                Arguments.of(
                        "a long name",
                        "{\"" + "x".repeat(MANY) + "\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}"),
                Arguments.of("a name past the limit", "{\"" + "x".repeat(2_000_000) + "\":1}"),
                Arguments.of("a long number", "{\"a\":{\"shape\":[" + "9".repeat(MANY) + "]}}"),
                Arguments.of(
                        "overlaps", object(i -> name(i) + ":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("headers")
    void largeHeadersKeepTheBudget(String kind, String header) {
        Path file = Models.write(dir, "model.safetensors", Models.safetensors(header));
        ReadingBudget.assertKept(
                file.toFile().length(), () -> Checkpoint.open(dir).bytes());
    }

    @Test
    void largeIndexesKeepTheBudget() {
        Models.write(dir, "s", Models.safetensors("{}"));
        for (String map : new String[] {object(i -> name(i) + ":\"s\""), object(i -> name(i) + ":\"" + i + "\"")}) {
            Path file = Models.write(dir, "model.safetensors.index.json", "{\"weight_map\":" + map + "}");
            ReadingBudget.assertKept(
                    file.toFile().length(), () -> Checkpoint.open(dir).bytes());
        }
        Path file = Models.write(dir, "model.safetensors.index.json", "{\"x\":" + list(i -> "[]") + "}");
        ReadingBudget.assertKept(
                file.toFile().length(), () -> Checkpoint.open(dir).bytes());
    }

    @Test
    void largeConfigsKeepTheBudget() {
        for (String value : new String[] {
            list(i -> "[]"),
            list(i -> "{}"),
            list(i -> "11"),
            list(i -> "1.5"),
            object(i -> name(i) + ":0"),
            object(i -> name(i) + ":{\"a\":0}")
        }) {
            String fields = value.substring(0, Math.min(value.length(), 1_000_000));
            for (String json : new String[] {"{\"x\":" + value + "}", "{\"x\":" + fields}) {
                Path file = Models.write(dir, "config.json", json);
                ReadingBudget.assertKept(Math.min(file.toFile().length(), 1 << 20), () -> TextConfig.load(dir));
            }
        }
    }

    @Test
    void largeTokenizersKeepTheBudget() {
        TextConfig config =
                Models.config(dir, "{\"tl_arch\": \"bigram\", \"tl_tokenizer\": \"hf\", \"vocab_size\": 500000}");
        String json = TokenizerFixtures.byteLevel();
        for (String vocab : new String[] {
            object(i -> name(i) + ":" + (1000 + i)), object(i -> "\"<0x0" + (i % 9) + ">\":" + (1000 + i))
        }) {
            Path file = Models.write(
                    dir,
                    "tokenizer.json",
                    json.replace("\"vocab\":{", "\"vocab\":{" + vocab.substring(1, vocab.length() - 1) + ","));
            ReadingBudget.assertKept(file.toFile().length(), () -> {
                try (Tokenizer tokenizer = Tokenizers.open(dir, config)) {
                    assertThat(tokenizer.encode("hello")).hasSize(2);
                }
            });
        }
        for (String value : new String[] {list(_ -> "[]"), list(_ -> "{}"), object(i -> name(i) + ":0")}) {
            Path file =
                    Models.write(dir, "tokenizer.json", json.replace("\"normalizer\":null", "\"normalizer\":" + value));
            ReadingBudget.assertKept(
                    file.toFile().length(), () -> Tokenizers.open(dir, config).close());
        }
    }

    @Test
    void theBudgetNoticesWhatItIsThereFor() {
        Models.write(
                dir,
                "model.safetensors",
                Models.safetensors("{\"x\":{\"dtype\":\"U8\",\"shape\":[9],\"data_offsets\":[0,9]}}", new byte[9]));
        Checkpoint checkpoint = Checkpoint.open(dir);
        long before = ReadingBudget.mappedBytes();
        try (TensorWindow window = checkpoint.map("x")) {
            assertThat(window.data().byteSize()).isEqualTo(9);
            assertThat(ReadingBudget.mappedBytes()).isGreaterThan(before);
        }
        assertThat(ReadingBudget.mappedBytes()).isEqualTo(before);
        assertThatThrownBy(() -> ReadingBudget.assertKept(
                        10, () -> assertThat(new byte[9 << 20]).isNotNull()))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> ReadingBudget.assertKept(10, () -> {
                    throw new IllegalStateException("another type");
                }))
                .isInstanceOf(IllegalStateException.class);
    }

    private static String name(int i) {
        return "\"" + Integer.toString(i, 36) + "\"";
    }

    private static String object(IntFunction<String> field) {
        return IntStream.range(0, MANY).mapToObj(field).collect(Collectors.joining(",", "{", "}"));
    }

    private static String list(IntFunction<String> item) {
        return IntStream.range(0, MANY).mapToObj(item).collect(Collectors.joining(",", "[", "]"));
    }
}
