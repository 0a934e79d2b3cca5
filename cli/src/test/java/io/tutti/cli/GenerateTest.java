package io.tutti.cli;

import static io.tutti.cli.Run.TINY;
import static io.tutti.cli.Run.ints;
import static io.tutti.cli.Run.model;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.Interrupts;
import io.tutti.modelio.safetensors.Checkpoint;
import io.tutti.modelio.safetensors.TensorInfo;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GenerateTest {

    private static final String BIGRAM = model("bigram");

    @ParameterizedTest
    @ValueSource(strings = {"f16", "f32"})
    void greedyTokensAreHuggingFaces(String cache) throws IOException {
        JsonNode reference = new ObjectMapper()
                .readTree(Run.MODELS.resolve("tiny-llama/reference.json").toFile());
        for (JsonNode prompt : reference.get("prompts")) {
            Run run = Run.of(
                    "generate",
                    TINY,
                    "--kv",
                    cache,
                    "--max-tokens",
                    "32",
                    "--json",
                    "--tokens",
                    ids(prompt.get("tokens")));

            int compared = prompt.get("compared").intValue();
            assertThat(Arrays.copyOf(ints(run.json().get("tokens")), compared))
                    .isEqualTo(Arrays.copyOf(ints(prompt.get("greedy")), compared));
            assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        }
    }

    @Test
    void aModelWhoseLogitsOverflowIsNamedAndPrintsNothing(@TempDir Path folder) throws IOException {
        Path source = Run.MODELS.resolve("mha-f32");
        Files.copy(source.resolve("config.json"), folder.resolve("config.json"));
        TensorInfo head = Checkpoint.open(source).tensor("lm_head.weight");
        byte[] weights = Files.readAllBytes(source.resolve("model.safetensors"));
        ByteBuffer values = ByteBuffer.wrap(weights, (int) head.offset(), (int) head.bytes())
                .order(ByteOrder.LITTLE_ENDIAN);
        while (values.hasRemaining()) {
            values.putFloat(Float.MAX_VALUE);
        }
        Files.write(folder.resolve("model.safetensors"), weights);

        Run f16 = Run.of("generate", folder.toString(), "--tokens", "1");
        assertThat(f16.exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(f16.out()).isEmpty();
        assertThat(f16.err()).contains("tutti: " + folder + ": the model's output: ", "--kv f32");
        Run f32 = Run.of("generate", folder.toString(), "--tokens", "1", "--kv", "f32");
        assertThat(f32.err()).contains("the model's output").doesNotContain("--kv");
    }

    @ParameterizedTest
    @ValueSource(strings = {"5e-324", "1e-300", "1e-30", "1e30", "1e300", "1.7e308"})
    void aPenaltyBeyondAllReasonGivesNumbersOrIsRefused(String penalty) {
        for (String temperature : List.of("0", "1")) {
            Run run = Run.of(
                    "generate",
                    Run.TINY,
                    "--device=host",
                    "--tokens=1,2,3",
                    "--json",
                    "--repetition-penalty",
                    penalty,
                    "--temperature",
                    temperature);
            if (run.exitCode() == ExitCode.REFUSED) {
                assertThat(run.err())
                        .startsWith("tutti: with --repetition-penalty ")
                        .hasLineCount(1);
                assertThat(run.out()).isEmpty();
            } else {
                assertThat(run.json().get("logprobs"))
                        .isNotEmpty()
                        .allSatisfy(logprob ->
                                assertThat(logprob.doubleValue()).isFinite().isNotPositive());
            }
        }
    }

    @Test
    void aTextFarBeyondTheContextIsRefusedBeforeItIsEncoded(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("long.txt"), "word ".repeat(2_000_000));
        Run run = Run.of("generate", Run.model("demo"), "--prompt-file", file.toString());
        assertThat(run.err())
                .matches("tutti: --prompt-file has at least \\d+ tokens; accepted: at most \\d+, the context of .*\n");
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
    }

    private static String ids(JsonNode tokens) {
        return Arrays.stream(ints(tokens)).mapToObj(String::valueOf).collect(Collectors.joining(","));
    }

    @Test
    void jsonHoldsWhatTheContractSays() {
        Run run = Run.of("generate", BIGRAM, "--prompt", "a", "--max-tokens", "4", "--json");
        JsonNode json = run.json();

        assertThat(run.out()).endsWith("}\n").containsOnlyOnce("\n");
        assertThat(ints(json.get("prompt_tokens"))).containsExactly('a');
        assertThat(ints(json.get("tokens"))).containsExactly('b', 'c', 'd', 'e');
        assertThat(json.get("logprobs"))
                .hasSize(4)
                .allSatisfy(logprob -> assertThat(logprob.doubleValue()).isBetween(-20.0, 0.0));
        assertThat(json.get("text").textValue()).isEqualTo("bcde");
        assertThat(json.get("finish_reason").textValue()).isEqualTo("length");
        assertThat(json.get("device").textValue()).isEqualTo("host");
        assertThat(json.get("kv").textValue()).isEqualTo("f16");
        assertThat(json.get("activations").textValue()).isEqualTo("f32");
        assertThat(run.err()).contains("device host");
    }

    @Test
    void logprobsHaveTheShortestDigitsThatReadBackExactly() {
        Run run = Run.of("generate", TINY, "--tokens", "5,6", "--max-tokens", "8", "--json");
        String written = run.out().replaceAll(".*\"logprobs\":\\[([^]]*)].*\n", "$1");
        assertThat(written.split(","))
                .hasSize(8)
                .allSatisfy(digits ->
                        assertThat(Double.toString(Double.parseDouble(digits))).isEqualTo(digits));
    }

    @Test
    void withoutJsonTheTextAloneGoesToStandardOutput() {
        Run run = Run.of("generate", BIGRAM, "--prompt", "a", "--max-tokens", "4");
        assertThat(run.out()).isEqualTo("bcde\n");
        assertThat(run.err().lines())
                .hasSize(2)
                .last()
                .asString()
                .contains("prompt 1 token", "new 4 tokens", "tokens/s");
    }

    @Test
    void withoutATokenizerIdsArePrinted() {
        String[] args = {"generate", model("mha-f32"), "--tokens", "1,2", "--max-tokens", "3"};
        Run plain = Run.of(args);
        Run json = Run.of(Arrays.asList(args), "--json");
        assertThat(plain.out()).isEqualTo(ids(json.json().get("tokens")).replace(',', ' ') + "\n");
        assertThat(json.json().get("text").textValue()).isEmpty();
    }

    @Test
    void aTextEndsBeforeItsFirstStop() {
        Run run = Run.of("generate", BIGRAM, "--prompt", "a", "--stop", "zzz", "--stop", "fg", "--stop", "ghij");
        assertThat(run.out()).isEqualTo("bcde\n");
        Run json = Run.of("generate", BIGRAM, "--prompt", "a", "--stop", "fg", "--json");
        assertThat(json.json().get("text").textValue()).isEqualTo("bcde");
        assertThat(json.json().get("finish_reason").textValue()).isEqualTo("stop");
    }

    @Test
    void anEndTokenStopsTheTextUnlessIgnored(@TempDir Path folder) throws IOException {
        Path ending = copy("bigram", folder);
        Files.writeString(ending.resolve("generation_config.json"), "{\"eos_token_id\": [%d]}".formatted((int) 'e'));

        Run stopped = Run.of("generate", ending.toString(), "--prompt", "a", "--max-tokens", "6", "--json");
        assertThat(ints(stopped.json().get("tokens"))).containsExactly('b', 'c', 'd');
        assertThat(stopped.json().get("finish_reason").textValue()).isEqualTo("stop");

        Run ignored = Run.of("generate", ending.toString(), "--prompt", "a", "--max-tokens", "6", "--ignore-eos");
        assertThat(ignored.out()).isEqualTo("bcdefg\n");
    }

    @Test
    void theContextsEndIsALengthToo() {
        Run run = Run.of("generate", TINY, "--tokens", "7" + ",7".repeat(509), "--max-tokens", "100", "--json");
        assertThat(run.json().get("tokens")).hasSize(2);
        assertThat(run.json().get("finish_reason").textValue()).isEqualTo("length");
    }

    @Test
    void aTextThatTheContextCutsShortSaysSo() {
        String prompt = "7" + ",7".repeat(509);
        assertThat(Run.of("generate", TINY, "--tokens", prompt, "--max-tokens", "100")
                        .err())
                .contains("the context is full: 512 tokens (max_position_embeddings)");
        assertThat(Run.of("generate", TINY, "--tokens", prompt, "--max-tokens", "2")
                        .err())
                .doesNotContain("context is full");
    }

    @Test
    void aPromptFileIsTakenByteForByte(@TempDir Path folder) throws IOException {
        String text = "\uFEFFgrüße, 世界 \r\n\t🙂\n";
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        Path file = Files.write(folder.resolve("prompt with spaces.txt"), bytes);

        Run fromFile = Run.of("generate", TINY, "--prompt-file", file.toString(), "--max-tokens", "1", "--json");
        Run fromInput = Run.with(bytes, "generate", TINY, "--prompt-file", "-", "--max-tokens", "1", "--json");
        Run fromArgument = Run.of("generate", TINY, "--prompt", text, "--max-tokens", "1", "--json");
        for (Run run : new Run[] {fromFile, fromInput, fromArgument}) {
            int[] tokens = ints(run.json().get("prompt_tokens"));
            assertThat(tokens).hasSize(bytes.length);
            for (int i = 0; i < bytes.length; i++) {
                assertThat(tokens[i]).isEqualTo(bytes[i] & 0xFF);
            }
        }
    }

    @Test
    void anAtSignInAPromptNamesNoFile(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("args"), "--help");
        Run run = Run.of("generate", BIGRAM, "--prompt", "@" + file, "--max-tokens", "1", "--json");
        assertThat(run.json().get("prompt_tokens")).hasSize(1 + file.toString().length());
    }

    @Test
    void theSameSeedDrawsTheSameTokensWhateverChunksAndThreads() {
        String[] args = {
            "generate",
            TINY,
            "--tokens",
            "1,2,3,4,5,6,7,8,9",
            "--temperature",
            "0.9",
            "--top-p",
            "0.95",
            "--max-tokens",
            "24",
            "--json",
            "--seed"
        };
        int[] first =
                ints(Run.of(Arrays.asList(args), "18446744073709551615").json().get("tokens"));
        Run again = Run.of(
                Arrays.asList(args), "18446744073709551615", "--chunk", "2", "--threads", "1", "--block-tokens", "5");
        assertThat(ints(again.json().get("tokens"))).isEqualTo(first);
        assertThat(again.json().get("seed").bigIntegerValue()).hasToString("18446744073709551615");
        assertThat(ints(Run.of(Arrays.asList(args), "7").json().get("tokens"))).isNotEqualTo(first);
    }

    @Test
    void exactlyTheBlocksThatTheRunNeedsAreEnough() {
        // 5 tokens and 28 more fill 32 positions: the last one chosen is never run.
        Run run = Run.of("generate", TINY, "--tokens", "1,2,3,4,5", "--max-tokens", "28", "--kv-blocks", "2", "--json");
        assertThat(run.json().get("tokens")).hasSize(28);
        Run refused = Run.of("generate", TINY, "--tokens", "1,2,3,4,5", "--max-tokens", "29", "--kv-blocks", "2");
        assertThat(refused.err()).contains("--kv-blocks is 2; accepted: at least 3");
    }

    @Test
    void tokensNeedNoTokenizerThatWorks(@TempDir Path folder) throws IOException {
        Path broken = copy("mha-f32", folder);
        Files.writeString(broken.resolve("tokenizer.json"), "{");

        Run run = Run.of("generate", broken.toString(), "--tokens", "1,2", "--max-tokens", "3");
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run.out()).matches("\\d+ \\d+ \\d+\n");
        assertThat(run.err()).containsOnlyOnce("token ids in place of text: ");
    }

    @Test
    void anInterruptLeavesWhatWasPrintedAndEndsTheLine() {
        Interrupts interrupts = new Interrupts();
        ByteArrayOutputStream out = interruptAt(interrupts, "de");
        Run run = Run.with(new byte[0], out, interrupts, "generate", BIGRAM, "--prompt", "a", "--max-tokens", "99");

        assertThat(run.exitCode()).isEqualTo(ExitCode.INTERRUPTED);
        assertThat(run.out()).startsWith("bcde").endsWith("\n").hasSizeLessThan(8);
        assertThat(run.err()).doesNotContain("tutti:");
    }

    private static ByteArrayOutputStream interruptAt(Interrupts interrupts, String text) {
        return new ByteArrayOutputStream() {
            @Override
            public synchronized void write(byte[] bytes, int offset, int length) {
                super.write(bytes, offset, length);
                if (toString(StandardCharsets.UTF_8).contains(text)) {
                    interrupts.request();
                }
            }
        };
    }

    @Test
    void anInterruptedJsonRunPrintsNothing() {
        Interrupts interrupts = new Interrupts();
        interrupts.request();
        Run run = Run.with(
                new byte[0], new ByteArrayOutputStream(), interrupts, "generate", BIGRAM, "--prompt", "a", "--json");
        assertThat(run.exitCode()).isEqualTo(ExitCode.INTERRUPTED);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).doesNotContain("tutti:");
    }

    @Test
    void aReaderThatGoesAwayEndsTheRunQuietly() {
        Run run = Run.with(
                new byte[0],
                failing("Broken pipe"),
                new Interrupts(),
                "generate",
                BIGRAM,
                "--prompt",
                "a",
                "--max-tokens",
                "250");
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run.err().lines()).hasSize(1).first().asString().startsWith("device host");
    }

    @Test
    void aFullDiskIsNoQuietEnd() {
        Run run = Run.with(
                new byte[0], failing("No space left on device"), new Interrupts(), "generate", BIGRAM, "--prompt", "a");
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("tutti: standard output cannot be written: No space left on device\n");
    }

    private static OutputStream failing(String reason) {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException(reason);
            }
        };
    }

    /** A copy of a golden model that may be changed. */
    private static Path copy(String model, Path folder) throws IOException {
        Path target = Files.createDirectory(folder.resolve(model));
        for (String name : new String[] {"config.json", "model.safetensors"}) {
            Files.copy(Run.MODELS.resolve(model).resolve(name), target.resolve(name));
        }
        return target;
    }
}
