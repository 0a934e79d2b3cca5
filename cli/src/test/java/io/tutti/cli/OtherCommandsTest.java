package io.tutti.cli;

import static io.tutti.cli.Run.TINY;
import static io.tutti.cli.Run.model;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.Interrupts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code inspect}, {@code quantize}, {@code devices} and {@code demo}. */
class OtherCommandsTest {

    @Test
    void inspectSaysWhatTheDirectoryHolds() {
        Run run = Run.of("inspect", TINY);
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .containsPattern("activations +f32\n")
                .contains("llama", "107,328", "BF16", "tied", "512 tokens", "bytes", "256 bytes a token as f16");
    }

    @Test
    void inspectCountsInJson() {
        JsonNode json = Run.of("inspect", model("tiny-int4"), "--json").json();
        // Embedding and head 109 x 64 each; a norm; a layer's q and o 64 x 64, k and v 32 x 64, three of 96 x 64, two
        // norms.
        int layer = 2 * 64 * 64 + 2 * 32 * 64 + 3 * 96 * 64 + 2 * 64;
        assertThat(json.get("parameters").longValue()).isEqualTo(2 * 109 * 64 + 2 * layer + 64);
        assertThat(json.get("int4_group").intValue()).isEqualTo(32);
        assertThat(json.get("activations")).map(JsonNode::textValue).containsExactly("f32", "int8");
        assertThat(json.get("dtypes").get("U8").get("tensors").intValue()).isEqualTo(14);
        assertThat(json.get("kv_bytes_per_token_f16").longValue()).isEqualTo(2 * 2 * 2 * 16 * 2);
        assertThat(json.get("kv_bytes_per_token_f32").longValue()).isEqualTo(2 * 2 * 2 * 16 * 4);
        assertThat(json.get("config").get("head_dim").intValue()).isEqualTo(16);
    }

    @Test
    void inspectNamesTensorsThatTheModelDoesNotUse() {
        assertThat(Run.of("inspect", model("sharded-mixed"), "--json").json().get("eos_token_ids"))
                .hasSize(3);
        assertThat(Run.of("inspect", model("tied-with-head-f16")).out()).doesNotContain("ignored");
    }

    @Test
    void inspectShowsAnOutputProjectionThatDiffersFromTheEmbeddingItIsTiedTo() {
        String note = "lm_head.weight differs from the embedding, so it makes the logits, although config.json ties the"
                + " two (tie_word_embeddings)";
        String other = model("tied-other-head-bf16");

        assertThat(Run.of("inspect", other).out())
                .contains("  vocabulary    69\n", "  note          " + note + "\n")
                .doesNotContain("ignored");
        JsonNode json = Run.of("inspect", other, "--json").json();
        assertThat(json.get("config").get("tie_word_embeddings").booleanValue()).isFalse();
        assertThat(json.get("notes")).map(JsonNode::textValue).containsExactly(note);
        assertThat(json.get("unused_tensors")).isEmpty();
        assertThat(Run.of("generate", other, "--tokens", "1,2", "--max-tokens", "2")
                        .err()
                        .lines())
                .contains(note);
        assertThat(Run.of("inspect", model("tied-with-head-f16")).out())
                .contains("  vocabulary    83, tied\n")
                .doesNotContain("note");
    }

    @Test
    void inspectSaysThatTensorsLackTheirPrefix() {
        assertThat(Run.of("inspect", model("base-model-f32")).out())
                .contains("  note          the tensors' names lack \"model.\", as those of a model without an output"
                        + " projection do\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tied-other-head-bf16", "base-model-f32"})
    void whatIsQuantizedHasTheLogitsOfItsModelQuantizedAtLoad(String name, @TempDir Path folder) throws IOException {
        String out = folder.resolve("int4").toString();
        assertThat(Run.of("quantize", model(name), "--quant", "int4:1", "--out", out)
                        .exitCode())
                .isEqualTo(ExitCode.DONE);
        Path stored = folder.resolve("stored");
        Path atLoad = folder.resolve("at-load");
        String[] tokens = {"--tokens", "1,2,3,4,5", "--all", "--out"};
        assertThat(Run.of(List.of("logits", out), tokens[0], tokens[1], tokens[2], tokens[3], stored.toString())
                        .exitCode())
                .isEqualTo(ExitCode.DONE);
        Run.of(
                List.of("logits", model(name), "--quant", "int4:1"),
                tokens[0],
                tokens[1],
                tokens[2],
                tokens[3],
                atLoad.toString());

        assertThat(stored).hasSameBinaryContentAs(atLoad);
    }

    @Test
    void inspectSaysExactlyWhyAModelIsRefused(@TempDir Path folder) throws IOException {
        Files.copy(Path.of(TINY, "model.safetensors"), folder.resolve("model.safetensors"));
        String config = Files.readString(Path.of(TINY, "config.json"));
        Files.writeString(
                folder.resolve("config.json"),
                config.replace("\"intermediate_size\": 172", "\"intermediate_size\": 171"));

        Run run = Run.of("inspect", folder.toString());
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .startsWith("tutti: ")
                .contains("mlp.gate_proj.weight", "[172, 64]", "[171, 64]")
                .containsOnlyOnce("\n");
    }

    @Test
    void quantizeWritesADirectoryThatRuns(@TempDir Path folder) {
        Path out = folder.resolve("int4");
        Run run = Run.of("quantize", model("tiny-int4-f32"), "--out", out.toString());
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run.out()).isEmpty();
        assertThat(Run.of("inspect", out.toString(), "--json")
                        .json()
                        .get("int4_group")
                        .intValue())
                .isEqualTo(32);
        assertThat(Run.of("generate", out.toString(), "--tokens", "1", "--max-tokens", "2")
                        .exitCode())
                .isEqualTo(ExitCode.DONE);

        Run again = Run.of("quantize", model("tiny-int4-f32"), "--out", out.toString());
        assertThat(again.err()).isEqualTo("tutti: " + out + ": is not empty; a new or empty directory is needed\n");
    }

    @Test
    void anInterruptedQuantizeLeavesNothing(@TempDir Path folder) {
        Interrupts interrupts = new Interrupts();
        interrupts.request();
        Run run = Run.with(
                new byte[0],
                new ByteArrayOutputStream(),
                interrupts,
                "quantize",
                model("tiny-int4-f32"),
                "--out",
                folder + "/int4");
        assertThat(run.exitCode()).isEqualTo(ExitCode.INTERRUPTED);
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void devicesListsTheHostAsExact() {
        Run run = Run.of("devices", "--fresh", "--json");
        JsonNode host = run.json().get("devices").get(0);
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(host.get("name").textValue()).isEqualTo("host");
        assertThat(host.get("kind").textValue()).isEqualTo("host");
        assertThat(host.get("memory_bytes").longValue()).isGreaterThan(1 << 20);
        assertThat(host.get("self_test").get("verdict").textValue()).isEqualTo("exact");
    }

    @Test
    void demoWritesATextAndShowsThatBitsAreTheSame(@TempDir Path home) throws IOException {
        Path model = Files.createDirectories(home.resolve("golden/models")).resolve("demo");
        Files.createDirectory(model);
        for (String file : new String[] {"config.json", "model.safetensors"}) {
            Files.copy(Path.of(TINY, file), model.resolve(file));
        }
        Run run = withHome(home, "demo", "--max-tokens", "9", "--prompt", "It is");
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run.out())
                .startsWith("It is")
                .contains(
                        "9 tokens at",
                        "all in one batch  the same bits",
                        "in chunks of 7    the same bits",
                        "token by token    the same bits")
                .endsWith("Same model, same seed, same bits.\n");
        assertThat(withHome(home, "demo", "--max-tokens", "9", "--prompt", "It is", "--threads", "1")
                        .out()
                        .lines()
                        .findFirst())
                .isEqualTo(run.out().lines().findFirst());
    }

    @Test
    void demoNamesTheModelThatIsNotThere(@TempDir Path home) {
        Run run = withHome(home, "demo");
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err())
                .startsWith("tutti: " + home.resolve("golden/models/demo") + ": no such directory")
                .containsOnlyOnce("\n");
    }

    private static Run withHome(Path home, String... args) {
        String before = System.setProperty("tutti.home", home.toString());
        try {
            return Run.of(args);
        } finally {
            System.setProperty("tutti.home", before);
        }
    }
}
