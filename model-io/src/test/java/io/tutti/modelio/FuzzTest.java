package io.tutti.modelio;

import io.tutti.modelio.config.ModelConfig;
import io.tutti.modelio.safetensors.Checkpoint;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.modelio.tokenizer.TokenizerFixtures;
import io.tutti.modelio.tokenizer.Tokenizers;
import io.tutti.modelio.weights.Weights;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Damaged files are read or refused: by {@link ModelException} and nothing else, at once, within 64 times their bytes
 * and 8 MB of heap, and without a byte mapped or allocated off the heap.
 */
class FuzzTest {
    private static final byte[] SAFETENSORS = Models.safetensors("""
            {"__metadata__":{"format":"pt","quant":"int4-g32-sym"},\
            "a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},\
            "b":{"dtype":"BF16","shape":[4],"data_offsets":[8,16]},\
            "c":{"dtype":"F16","shape":[],"data_offsets":[16,18]}}""", new byte[18]);
    private static final byte[] INDEX = utf8("""
            {"metadata": {"total_size": 18},
             "weight_map": {"a": "shard.safetensors", "b": "shard.safetensors", "c": "shard.safetensors"}}""");
    private static final byte[] CONFIG = utf8("""
            {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 8, "intermediate_size": 12,
             "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 4,
             "vocab_size": 300, "max_position_embeddings": 64, "rms_norm_eps": 1e-05, "rope_theta": 10000.0,
             "rope_scaling": {"rope_type": "default"}, "rope_parameters": null, "hidden_act": "silu",
             "tie_word_embeddings": true, "eos_token_id": [2, 3], "bos_token_id": 1, "torch_dtype": "bfloat16"}""");
    private static final byte[] TOKENIZER = utf8(TokenizerFixtures.byteLevel());

    private static Path dir;

    @BeforeContainer
    static void makeDirectory() throws IOException {
        dir = Files.createTempDirectory("fuzz");
        // The first use of a class allocates for the class.
        for (byte[] file : List.of(SAFETENSORS, INDEX, CONFIG, TOKENIZER)) {
            readAs(file, "model.safetensors", () -> Checkpoint.open(dir));
            readAs(file, "config.json", () -> ModelConfig.load(dir));
        }
        clear();
    }

    @AfterContainer
    static void deleteDirectory() throws IOException {
        clear();
        Files.delete(dir);
    }

    @Property(tries = 1500, shrinking = ShrinkingMode.BOUNDED)
    void safetensorsFiles(@ForAll("safetensors") byte[] file) {
        clear();
        ReadingBudget.assertKept(file.length, () -> {
            Models.write(dir, "model.safetensors", file);
            Checkpoint.open(dir).bytes();
        });
    }

    @Property(tries = 1500, shrinking = ShrinkingMode.BOUNDED)
    void indexFiles(@ForAll("index") byte[] file) {
        clear();
        Models.write(dir, "shard.safetensors", SAFETENSORS);
        ReadingBudget.assertKept(file.length + SAFETENSORS.length, () -> {
            Models.write(dir, "model.safetensors.index.json", file);
            Checkpoint.open(dir).bytes();
        });
    }

    @Property(tries = 1500, shrinking = ShrinkingMode.BOUNDED)
    void configFiles(@ForAll("config") byte[] file) {
        clear();
        ReadingBudget.assertKept(file.length, () -> {
            Models.write(dir, "config.json", file);
            ModelConfig.load(dir);
        });
    }

    @Property(tries = 1500, shrinking = ShrinkingMode.BOUNDED)
    void generationConfigFiles(@ForAll("config") byte[] file) {
        clear();
        Models.write(dir, "config.json", CONFIG);
        ReadingBudget.assertKept(file.length + CONFIG.length, () -> {
            Models.write(dir, "generation_config.json", file);
            ModelConfig.load(dir);
        });
    }

    @Property(tries = 1500, shrinking = ShrinkingMode.BOUNDED)
    void tokenizerFiles(@ForAll("tokenizer") byte[] file) {
        clear();
        Models.write(dir, "config.json", CONFIG);
        Models.write(dir, "tokenizer.json", file);
        ModelConfig config = ModelConfig.load(dir);
        ReadingBudget.assertKept(file.length, () -> {
            try (Tokenizer tokenizer = Tokenizers.open(dir, config)) {
                tokenizer.decode(tokenizer.encode("hello é 12\n<s>"), true);
            }
        });
    }

    /** Not a byte of a broken model is mapped: everything is checked before the first window opens. */
    @Property(tries = 500, shrinking = ShrinkingMode.BOUNDED)
    void wholeModels(@ForAll("safetensors") byte[] file) {
        clear();
        ModelConfig config = Models.config(dir, new String(CONFIG, StandardCharsets.UTF_8));
        ReadingBudget.assertKept(file.length, () -> {
            Models.write(dir, "model.safetensors", file);
            Weights.open(dir, config).unusedNames();
        });
    }

    @Provide
    Arbitrary<byte[]> safetensors() {
        Arbitrary<byte[]> headers = editedJson(Arrays.copyOfRange(SAFETENSORS, 8, SAFETENSORS.length - 18))
                .map(json -> Models.safetensors(new String(json, StandardCharsets.UTF_8), new byte[18]));
        return Arbitraries.oneOf(damaged(SAFETENSORS), headers);
    }

    @Provide
    Arbitrary<byte[]> index() {
        return Arbitraries.oneOf(damaged(INDEX), editedJson(INDEX));
    }

    @Provide
    Arbitrary<byte[]> config() {
        return Arbitraries.oneOf(damaged(CONFIG), editedJson(CONFIG));
    }

    @Provide
    Arbitrary<byte[]> tokenizer() {
        return Arbitraries.oneOf(damaged(TOKENIZER), editedJson(TOKENIZER));
    }

    /** Some bytes changed, and perhaps the end cut off. */
    private static Arbitrary<byte[]> damaged(byte[] whole) {
        Arbitrary<Integer> kept = Arbitraries.frequencyOf(
                Tuple.of(3, Arbitraries.just(whole.length)),
                Tuple.of(1, Arbitraries.integers().between(0, whole.length)));
        Arbitrary<List<Integer>> places =
                Arbitraries.integers().between(0, whole.length - 1).list().ofMaxSize(4);
        return Combinators.combine(kept, places, Arbitraries.bytes().list().ofSize(4))
                .as((length, at, values) -> {
                    byte[] bytes = whole.clone();
                    for (int i = 0; i < at.size(); i++) {
                        bytes[at.get(i)] ^= values.get(i);
                    }
                    return Arrays.copyOf(bytes, length);
                });
    }

    /** One of the JSON's words put in place of another, or something that JSON parsers trip over. */
    private static Arbitrary<byte[]> editedJson(byte[] json) {
        List<String> words = new ArrayList<>(List.of(
                "null",
                "true",
                "-1",
                "0",
                "1e999",
                "9223372036854775807",
                "18446744073709551616",
                "\"\"",
                "\"\\ud800\"",
                "\"\\u0000\"",
                "[]",
                "{}",
                "[[[[[[]]]]]]",
                "NaN",
                "0.1",
                "{\"a\":1,\"a\":2}",
                "[".repeat(2000),
                "",
                "\"" + "x".repeat(5000) + "\"",
                "1".repeat(2000)));
        String text = new String(json, StandardCharsets.UTF_8);
        List<int[]> spans = spans(text);
        spans.forEach(span -> words.add(text.substring(span[0], span[1])));
        return Combinators.combine(Arbitraries.of(spans), Arbitraries.of(words))
                .as((span, word) -> utf8(text.substring(0, span[0]) + word + text.substring(span[1])));
    }

    /** Where the strings, numbers and names of a JSON text lie. */
    private static List<int[]> spans(String text) {
        List<int[]> spans = new ArrayList<>();
        var matcher = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d[\\d.e+-]*|null|true|false")
                .matcher(text);
        while (matcher.find()) {
            spans.add(new int[] {matcher.start(), matcher.end()});
        }
        return spans;
    }

    private static void readAs(byte[] file, String name, Runnable read) {
        Models.write(dir, name, file);
        try {
            read.run();
        } catch (ModelException _) {
            // Only a warm-up.
        }
    }

    private static void clear() {
        try (var files = Files.list(dir)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
