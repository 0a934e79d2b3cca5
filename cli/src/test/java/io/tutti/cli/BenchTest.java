package io.tutti.cli;

import static io.tutti.cli.Run.TINY;
import static io.tutti.cli.Run.model;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.Interrupts;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchTest {

    @TempDir
    private Path folder;

    private static List<JsonNode> lines(Run run) throws IOException {
        List<JsonNode> lines = new ArrayList<>();
        for (String line : run.out().lines().toList()) {
            lines.add(new ObjectMapper().readTree(line));
        }
        return lines;
    }

    @Test
    void aPersonGetsATableAndAPicture() throws IOException {
        Path picture = folder.resolve("picture.png");
        Run run = Run.of("bench", model("bigram"), "--device", "host", "--repeats", "1", "--plot", picture.toString());
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out())
                .startsWith("bigram: f32, f16 cache, ")
                .contains("host  prefill of 512 ", "host  decode of 128 after 0 ", "host: first token ", " GB/s (");
        assertThat(run.err().lines()).hasSize(2);
        BufferedImage image = ImageIO.read(picture.toFile());
        assertThat(image.getWidth()).isEqualTo(2000);
        assertThat(folder).isDirectoryContaining(picture::equals);
    }

    @Test
    void devicesStandSideBySideEachOnALineOfJson() throws IOException {
        Run run = FakeBackend.with(
                FlawedDevice.twin("twin:0"),
                () -> Run.of(List.of("bench", TINY, "--device", "host,twin:0", "--json"), options()));
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.DONE);
        // Another process has no twin.
        assertThat(run.err()).contains("twin:0: first token, load time and peak memory are not known: --device is");
        List<JsonNode> devices = lines(run);
        assertThat(devices).extracting(json -> json.get("device").textValue()).containsExactly("host", "twin:0");
        for (JsonNode json : devices) {
            assertThat(json.get("model").textValue()).isEqualTo("tiny-llama");
            assertThat(json.get("dtype").textValue()).isEqualTo("int4:4");
            assertThat(json.get("activations").textValue()).isEqualTo("int8");
            assertThat(json.get("kv").textValue()).isEqualTo("f32");
            assertThat(json.get("threads").intValue()).isEqualTo(1);
            assertThat(json.get("chunk").intValue()).isEqualTo(100);
            assertThat(json.get("batch").intValue()).isEqualTo(3);
            assertThat(json.get("repeats").intValue()).isEqualTo(2);
            assertThat(json.get("prefill_tokens").intValue()).isEqualTo(512);
            assertThat(json.get("decode_at").properties())
                    .extracting(Map.Entry::getKey)
                    .containsExactly("50", "384");
            assertThat(json.get("decode_tok_s")).isEqualTo(json.get("decode_at").get("50"));
            for (String rate : List.of("prefill_tok_s", "decode_tok_s", "decode_gb_s", "read_gb_s", "fma_gflop_s")) {
                assertThat(json.get(rate).get("min").doubleValue()).as(rate).isPositive();
            }
        }
        assertThat(devices.getFirst().get("first_token_s").get("median").doubleValue())
                .isPositive();
        assertThat(devices.getFirst().get("load_s").doubleValue()).isPositive();
        assertThat(devices.getLast().get("first_token_s").isNull()).isTrue();
    }

    private static String[] options() {
        return "--batch 3 --quant int4:4 --activations int8 --kv f32 --threads 1 --chunk 100 --context 50,9999 --block-tokens 7 --repeats 2"
                .split(" ");
    }

    @Test
    void anInterruptLeavesNothing() {
        Interrupts interrupts = new Interrupts();
        interrupts.request();
        Run run = Run.with(
                new byte[0],
                new ByteArrayOutputStream(),
                interrupts,
                "bench",
                TINY,
                "--device",
                "host",
                "--plot",
                folder.resolve("picture.png").toString());
        assertThat(run.exitCode()).isEqualTo(ExitCode.INTERRUPTED);
        assertThat(run.out()).isEmpty();
        assertThat(folder).isEmptyDirectory();
    }
}
