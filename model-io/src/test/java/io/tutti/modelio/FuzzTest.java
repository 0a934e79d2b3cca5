package io.tutti.modelio;

import io.tutti.modelio.config.TextConfig;
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
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
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
            readAs(file, "config.json", () -> TextConfig.load(dir));
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
            TextConfig.load(dir);
        });
    }

    @Property(tries = 1500, shrinking = ShrinkingMode.BOUNDED)
    void generationConfigFiles(@ForAll("config") byte[] file) {
        clear();
        Models.write(dir, "config.json", CONFIG);
        ReadingBudget.assertKept(file.length + CONFIG.length, () -> {
            Models.write(dir, "generation_config.json", file);
            TextConfig.load(dir);
        });
    }

    @Property(tries = 1500, shrinking = ShrinkingMode.BOUNDED)
    void tokenizerFiles(@ForAll("tokenizer") byte[] file) {
        clear();
        Models.write(dir, "config.json", CONFIG);
        Models.write(dir, "tokenizer.json", file);
        TextConfig config = TextConfig.load(dir);
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
        ReadingBudget.assertKept(file.length, () -> {
            Models.write(dir, "model.safetensors", file);
            Weights.open(dir, Models.head(true)).unusedNames();
        });
    }

    @Provide
    Arbitrary<byte[]> safetensors() {
        Arbitrary<byte[]> headers = Damage.json(Arrays.copyOfRange(SAFETENSORS, 8, SAFETENSORS.length - 18))
                .map(json -> Models.safetensors(new String(json, StandardCharsets.UTF_8), new byte[18]));
        return Arbitraries.oneOf(Damage.bytes(SAFETENSORS), headers);
    }

    @Provide
    Arbitrary<byte[]> index() {
        return Arbitraries.oneOf(Damage.bytes(INDEX), Damage.json(INDEX));
    }

    @Provide
    Arbitrary<byte[]> config() {
        return Arbitraries.oneOf(Damage.bytes(CONFIG), Damage.json(CONFIG));
    }

    @Provide
    Arbitrary<byte[]> tokenizer() {
        return Arbitraries.oneOf(Damage.bytes(TOKENIZER), Damage.json(TOKENIZER));
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
