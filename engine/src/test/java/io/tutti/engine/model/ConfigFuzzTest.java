package io.tutti.engine.model;

import io.tutti.modelio.Damage;
import io.tutti.modelio.Models;
import io.tutti.modelio.ReadingBudget;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Damaged configurations mean something or are refused, in one line and at once. */
class ConfigFuzzTest {

    private static final byte[] CONFIG = """
            {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": 8, "intermediate_size": 12,
             "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 4,
             "vocab_size": 300, "max_position_embeddings": 64, "rms_norm_eps": 1e-05, "rope_theta": 10000.0,
             "rope_scaling": {"rope_type": "default"}, "rope_parameters": null, "hidden_act": "silu",
             "use_sliding_window": true, "sliding_window": 7, "layer_types": ["full_attention", "sliding_attention"],
             "tie_word_embeddings": true, "eos_token_id": [2, 3], "bos_token_id": 1, "torch_dtype": "bfloat16"}""".getBytes(StandardCharsets.UTF_8);

    private static Path dir;

    @BeforeContainer
    static void makeDirectory() throws IOException {
        dir = Files.createTempDirectory("fuzz");
        // The first use of a class allocates for the class.
        Models.write(dir, "config.json", CONFIG);
        ModelConfig.load(dir);
    }

    @AfterContainer
    static void deleteDirectory() throws IOException {
        Files.delete(dir.resolve("config.json"));
        Files.delete(dir);
    }

    @Property(tries = 1500, shrinking = ShrinkingMode.BOUNDED)
    void configFiles(@ForAll("config") byte[] file) {
        ReadingBudget.assertKept(file.length, () -> {
            Models.write(dir, "config.json", file);
            ModelConfig.load(dir);
        });
    }

    @Provide
    Arbitrary<byte[]> config() {
        return Arbitraries.oneOf(Damage.bytes(CONFIG), Damage.json(CONFIG));
    }
}
