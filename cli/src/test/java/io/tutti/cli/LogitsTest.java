package io.tutti.cli;

import static io.tutti.cli.Run.TINY;
import static io.tutti.cli.Run.model;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.Interrupts;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.safetensors.Checkpoint;
import io.tutti.modelio.safetensors.TensorInfo;
import io.tutti.modelio.safetensors.TensorWindow;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogitsTest {

    private static final String TOKENS =
            IntStream.range(0, 41).mapToObj(i -> String.valueOf(i * 7 % 97)).collect(Collectors.joining(","));

    @TempDir
    private Path folder;

    private Path out;

    @BeforeEach
    void nameTheOutput() {
        out = folder.resolve("logits.safetensors");
    }

    @Test
    void whatCannotBeWrittenIsRefusedBeforeTheModelLoads() throws IOException {
        Path model = Files.createDirectory(folder.resolve("model"));
        for (String file : List.of("config.json", "model.safetensors")) {
            Files.copy(Path.of(TINY, file), model.resolve(file));
        }
        Path prompt = Files.writeString(folder.resolve("prompt"), "abc");
        assertRefused(model, prompt, model.resolve("model.safetensors"), "which this run reads");
        assertRefused(model, prompt, prompt, "which this run reads");
        Path link = Files.createSymbolicLink(folder.resolve("link"), model.resolve("config.json"));
        assertRefused(model, prompt, link, "config.json, which this run reads");
        assertRefused(model, prompt, folder.resolve("absent/out"), "no directory " + folder.resolve("absent"));
        assertRefused(model, prompt, folder, "is a directory");
        assertThat(model.resolve("model.safetensors")).hasSameBinaryContentAs(Path.of(TINY, "model.safetensors"));
        assertThat(prompt).hasContent("abc");
    }

    private static void assertRefused(Path model, Path prompt, Path out, String says) {
        Run run = Run.of("logits", model.toString(), "--prompt-file", prompt.toString(), "--out", out.toString());
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err())
                .startsWith("tutti: ")
                .contains(out.toString(), says)
                .containsOnlyOnce("\n");
    }

    private byte[] logits(String model, String... options) throws IOException {
        Run run = Run.of(List.of("logits", model, "--tokens", TOKENS, "--out", out.toString()), options);
        assertThat(run.err()).doesNotContain("tutti:");
        assertThat(run.out()).isEmpty();
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        return Files.readAllBytes(out);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--chunk 1",
                "--chunk 3",
                "--chunk 7",
                "--chunk 16",
                "--chunk 1000",
                "--threads 1",
                "--threads 2",
                "--threads 5",
                "--block-tokens 1",
                "--block-tokens 37",
                "--kv-blocks 50",
                "--device host"
            })
    void noOptionOfTheRunChangesAByte(String option) throws IOException {
        for (String model : List.of(TINY, model("tiny-int4"))) {
            byte[] plain = logits(model, "--all");
            assertThat(logits(model, ("--all " + option).split(" "))).isEqualTo(plain);
        }
    }

    @Test
    void anInt4ModelEqualsItsDequantizedTwin() throws IOException {
        assertThat(logits(model("tiny-int4"), "--all")).isEqualTo(logits(model("tiny-int4-f32"), "--all"));
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 32})
    void quantizingAtLoadEqualsTheInt4File(int group) throws IOException {
        String source = model("tiny-int4-f32");
        Path quantized = folder.resolve("int4");
        Run run = Run.of("quantize", source, "--quant", "int4:" + group, "--out", quantized.toString());
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);

        byte[] atLoad = logits(source, "--all", "--quant", "int4:" + group);
        assertThat(logits(quantized.toString(), "--all")).isEqualTo(atLoad);
        if (group == 4) {
            assertThat(logits(source, "--all")).isNotEqualTo(atLoad);
        }
    }

    @Test
    void theCachesTypeDoesChangeBits() throws IOException {
        assertThat(logits(TINY, "--kv", "f32")).isNotEqualTo(logits(TINY, "--kv", "f16"));
    }

    @Test
    void theLastPositionIsTheLastRowOfAll() throws IOException {
        float[] last = read(logits(TINY), 1);
        float[] all = read(logits(TINY, "--all"), 41);
        assertThat(last).hasSize(256);
        for (int i = 0; i < 256; i++) {
            assertThat(Float.floatToRawIntBits(all[40 * 256 + i])).isEqualTo(Float.floatToRawIntBits(last[i]));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"f16", "f32"})
    void theLogitsAreTheGoldens(String cache) throws IOException {
        Path golden = Files.createDirectory(folder.resolve("golden"));
        Files.copy(Path.of(TINY, "reference.safetensors"), golden.resolve("model.safetensors"));
        // The third prompt, whose rows are all kept.
        Run run =
                Run.of("logits", TINY, "--tokens", "137,5,234,30,251", "--all", "--kv", cache, "--out", out.toString());
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);

        try (TensorWindow expected = Checkpoint.open(golden).map("p2.logits_" + cache)) {
            byte[] bits = expected.data().toArray(ValueLayout.JAVA_BYTE);
            assertThat(tail(Files.readAllBytes(out), bits.length)).isEqualTo(bits);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"f16", "f32"})
    void theLogitsOfInt8ActivationsAreTheGoldens(String cache) throws IOException {
        String model = model("tiny-int4");
        Path golden = Files.createDirectory(folder.resolve("golden"));
        Files.copy(Path.of(model, "reference.safetensors"), golden.resolve("model.safetensors"));
        JsonNode prompts = new ObjectMapper()
                .readTree(Path.of(model, "reference.json").toFile())
                .get("prompts");
        String tokens = StreamSupport.stream(prompts.get(2).get("tokens").spliterator(), false)
                .map(JsonNode::asText)
                .collect(Collectors.joining(","));
        Run run = Run.of(
                List.of("logits", model, "--tokens", tokens, "--all", "--activations", "int8", "--kv", cache),
                "--out",
                out.toString());
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);

        try (TensorWindow expected = Checkpoint.open(golden).map("p2.logits_" + cache + "_int8")) {
            byte[] bits = expected.data().toArray(ValueLayout.JAVA_BYTE);
            assertThat(tail(Files.readAllBytes(out), bits.length)).isEqualTo(bits);
        }
    }

    @Test
    void int8ActivationsDoChangeBits() throws IOException {
        String model = model("tiny-int4");
        assertThat(logits(model, "--activations", "int8")).isNotEqualTo(logits(model, "--activations", "f32"));
    }

    private static byte[] tail(byte[] bytes, int count) {
        return Arrays.copyOfRange(bytes, bytes.length - count, bytes.length);
    }

    private float[] read(byte[] file, long rows) throws IOException {
        Path written = Files.createTempDirectory(folder, "read");
        Files.write(written.resolve("model.safetensors"), file);
        Checkpoint checkpoint = Checkpoint.open(written);
        TensorInfo logits = checkpoint.tensor("logits");
        assertThat(checkpoint.names()).containsExactly("logits");
        assertThat(logits.dtype()).isEqualTo(Dtype.F32);
        assertThat(logits.shape()).containsExactly(rows, 256L);
        try (TensorWindow window = checkpoint.map("logits")) {
            return window.data().toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
        }
    }

    @Test
    void whatWasWrittenIsSaidOnStandardErrorAlone() {
        Path file = folder.resolve("said.safetensors");
        Run run = Run.of("logits", Run.TINY, "--tokens", "1,2,3", "--all", "--out", file.toString());
        assertThat(run.err().lines()).last().isEqualTo(file + ": logits, F32, [3, 256]");
        assertThat(run.out()).isEmpty();
    }

    @Test
    void textIsEncodedAsForGenerate() throws IOException {
        Run text = Run.of("logits", TINY, "--prompt", "abc", "--out", out.toString());
        assertThat(text.exitCode()).isEqualTo(ExitCode.DONE);
        byte[] fromText = Files.readAllBytes(out);
        Run tokens = Run.of("logits", TINY, "--tokens", "97,98,99", "--out", out.toString());
        assertThat(tokens.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(Files.readAllBytes(out)).isEqualTo(fromText);
    }

    @Test
    void aRefusalLeavesTheOldFileAsItWas() throws IOException {
        Files.writeString(out, "old");
        Run run = Run.of("logits", TINY, "--tokens", "1,999", "--out", out.toString());
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(out).hasContent("old");
        assertThat(folder).isDirectoryNotContaining(file -> !file.equals(out));
    }

    @Test
    void anInterruptLeavesNothing() {
        Interrupts interrupts = new Interrupts();
        interrupts.request();
        Run run = Run.with(
                new byte[0],
                new ByteArrayOutputStream(),
                interrupts,
                "logits",
                TINY,
                "--tokens",
                "1",
                "--out",
                out.toString());
        assertThat(run.exitCode()).isEqualTo(ExitCode.INTERRUPTED);
        assertThat(run.err()).isEmpty();
        assertThat(folder).isEmptyDirectory();
    }
}
