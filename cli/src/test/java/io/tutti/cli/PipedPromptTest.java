package io.tutti.cli;

import static io.tutti.cli.Run.ints;
import static io.tutti.cli.Run.model;
import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.Interrupts;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Text that is piped into a command which needs a prompt. */
class PipedPromptTest {

    private static final String BIGRAM = model("bigram");

    @TempDir
    private Path folder;

    private static Run piped(String input, String... args) {
        return Run.with(input.getBytes(StandardCharsets.UTF_8), args);
    }

    private static String prompt(Run run) {
        StringBuilder text = new StringBuilder();
        for (int token : ints(run.json().get("prompt_tokens"))) {
            text.appendCodePoint(token);
        }
        return text.toString();
    }

    @Test
    void pipedTextIsThePromptWithoutTheEndOfItsLastLine() {
        assertThat(prompt(piped("abc", "generate", BIGRAM, "--json"))).isEqualTo("abc");
        assertThat(prompt(piped("abc\n", "generate", BIGRAM, "--json"))).isEqualTo("abc");
        assertThat(prompt(piped("a\r\nbc\r\n", "generate", BIGRAM, "--json"))).isEqualTo("a\nbc");
        assertThat(prompt(piped("abc\n\n", "generate", BIGRAM, "--json"))).isEqualTo("abc\n");
        assertThat(prompt(piped("a\r\n", "generate", BIGRAM, "--json", "--prompt-file", "-")))
                .isEqualTo("a\r\n");
    }

    @Test
    void logitsTakesItToo() {
        Path out = folder.resolve("logits.safetensors");
        Run run = piped("ab", "logits", BIGRAM, "--all", "--out", out.toString());
        assertThat(run.err()).contains("[2, 256]");
    }

    @Test
    void anEmptyInputIsNoPrompt() {
        for (String input : new String[] {"", "\n", "\r\n"}) {
            Run run = piped(input, "generate", BIGRAM);
            assertThat(run.err())
                    .isEqualTo("tutti: no prompt is given, and standard input is empty; accepted: exactly one of"
                            + " --prompt TEXT, --prompt-file FILE or --tokens IDS\n");
            assertThat(run.exitCode()).isEqualTo(ExitCode.BAD_USAGE);
        }
    }

    @Test
    void whatIsNotUtf8IsRefused() {
        Run run = Run.with(new byte[] {'a', (byte) 0xFF}, "generate", BIGRAM);
        assertThat(run.err()).contains("tutti: standard input has the byte 0xff at place 1, which is not UTF-8");
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
    }

    @Test
    void aByteOrderMarkIsNoPartOfTheText() throws IOException {
        String mark = "\uFEFF";
        assertThat(prompt(piped(mark + "abc\r\n", "generate", BIGRAM, "--json")))
                .isEqualTo("abc");
        assertThat(piped(mark, "generate", BIGRAM).err()).contains("standard input is empty");

        Path chat = ChatModel.write(folder.resolve("chat"), 256);
        String messages = mark + "[{\"role\": \"user\", \"content\": \"w\"}]";
        assertThat(prompt(piped(messages, "generate", chat.toString(), "--chat", "--json", "--messages", "-")))
                .isEqualTo("user|w");
        assertThat(piped(mark + "w\n", "chat", chat.toString()).out()).isEqualTo("xyz\n");
        Run lines = piped(mark + "/reset\nw\n", "chat", chat.toString(), "--lines");
        assertThat(lines.out()).isEqualTo("xyz\n");
        assertThat(lines.err()).contains("a new conversation");
    }

    @Test
    void aPromptFileKeepsItsByteOrderMarkBecauseItIsTakenByteForByte() throws IOException {
        String text = "\uFEFFabc";
        String bytes = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        assertThat(prompt(piped(text, "generate", BIGRAM, "--json", "--prompt-file", "-")))
                .isEqualTo(bytes);
        Path file = Files.writeString(folder.resolve("prompt.txt"), text);
        assertThat(prompt(Run.of("generate", BIGRAM, "--json", "--prompt-file", file.toString())))
                .isEqualTo(bytes);
    }

    @Test
    void utf16IsRefusedByName() throws IOException {
        Path chat = ChatModel.write(folder.resolve("chat"), 256);
        for (Charset charset : List.of(StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE)) {
            byte[] input = "\uFEFFw\r\n".getBytes(charset);
            for (Run run : List.of(
                    Run.with(input, "generate", BIGRAM),
                    Run.with(input, "generate", BIGRAM, "--prompt-file", "-"),
                    Run.with(input, "generate", chat.toString(), "--chat", "--messages", "-"),
                    Run.with(input, "chat", chat.toString()),
                    Run.with(input, "chat", chat.toString(), "--lines"))) {
                assertThat(run.err().lines().toList().getLast())
                        .startsWith("tutti: ")
                        .contains("standard input", " begins with the byte-order mark of UTF-16; accepted: UTF-8 text");
                assertThat(run.out()).isEmpty();
                assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
            }
        }
    }

    @Test
    void aPromptThatIsGivenWinsAndTheRestIsSaidToBeUnread() {
        Run run = piped("abc", "generate", BIGRAM, "-p", "x", "--json");
        assertThat(prompt(run)).isEqualTo("x");
        assertThat(run.err())
                .containsOnlyOnce("standard input is not read, because the prompt is given; --prompt-file - reads it");
        assertThat(piped("", "generate", BIGRAM, "-p", "x").err()).doesNotContain("standard input");
    }

    @Test
    void inAChatItIsTheNextMessage() throws IOException {
        Path chat = ChatModel.write(folder.resolve("chat"), 256);
        Path messages = Files.writeString(
                folder.resolve("messages.json"),
                "[{\"role\": \"user\", \"content\": \"w\"}, {\"role\": \"assistant\", \"content\": \"xyz\"}]");
        Run run = piped("x\n", "generate", chat.toString(), "--chat", "--messages", messages.toString(), "--json");
        assertThat(prompt(run)).isEqualTo("user|wassistant|xyzuser|x");
        assertThat(prompt(piped("w\n", "generate", chat.toString(), "--chat", "--json")))
                .isEqualTo("user|w");
        assertThat(piped("", "generate", chat.toString(), "--chat").err()).contains("no prompt is given");
    }

    @Test
    void anInputThatSomebodyHoldsOpenIsNotWaitedForForEver() throws IOException {
        try (PipedInputStream open = new PipedInputStream();
                PipedOutputStream held = new PipedOutputStream(open)) {
            OutputStream nowhere = OutputStream.nullOutputStream();
            Console console = new Console(open, nowhere, nowhere, false, new Interrupts());
            assertThat(console.readInput(10, Duration.ofMillis(1))).isEmpty();
            held.write('a');
        }
    }

    @Test
    void whatBeginsInTimeIsReadToItsEndUpToABound() throws IOException {
        OutputStream nowhere = OutputStream.nullOutputStream();
        Console console = new Console(
                new ByteArrayInputStream(new byte[] {1, 2, 3, 4}), nowhere, nowhere, false, new Interrupts());
        assertThat(console.readInput(2, Duration.ofMinutes(1))).hasValue(new byte[] {1, 2, 3});
    }

    @Test
    void minusOneGoesOnUntilTheContextOrTheCacheIsFull() {
        Run context = Run.of("generate", BIGRAM, "-p", "a", "-n", "-1");
        assertThat(context.err()).contains("the text ends because the context is full");
        Run cache = Run.of("generate", BIGRAM, "-p", "a", "--max-tokens=-1", "--kv-blocks", "2");
        assertThat(cache.out()).hasSize(32 + 1);
        assertThat(cache.err()).contains("the text ends because the cache is full; --kv-blocks gives more room");
        assertThat(Run.of("generate", BIGRAM, "-p", "a", "-n", "-2").err())
                .contains("--max-tokens is -2; accepted: an integer from 1 to 2147483647, or -1: until the context");
    }

    @Test
    void aSeedThatWasDrawnIsTold() {
        Run run = Run.of("generate", BIGRAM, "-p", "a", "--seed", "random", "--temperature", "9", "--json");
        String seed = run.json().get("seed").asText();
        assertThat(run.err().lines()).contains("seed " + seed);
        Run again = Run.of("generate", BIGRAM, "-p", "a", "--seed", seed, "--temperature", "9", "--json");
        assertThat(again.json().get("tokens")).isEqualTo(run.json().get("tokens"));
        assertThat(again.err()).doesNotContain("seed");
        assertThat(Run.of("generate", BIGRAM, "-p", "a", "--json")
                        .json()
                        .get("seed")
                        .intValue())
                .isZero();
    }
}
