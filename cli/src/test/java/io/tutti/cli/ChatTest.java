package io.tutti.cli;

import static io.tutti.cli.Run.ints;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.tutti.cli.bench.FreshProcess;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.Interrupts;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tutti chat} where standard input is no terminal, and {@code generate --chat}. */
class ChatTest {

    @TempDir
    private Path folder;

    private Path model;

    @BeforeEach
    void writeTheModel() throws IOException {
        model = ChatModel.write(folder.resolve("model"), 1024);
    }

    private Run chat(String input, String... options) {
        return Run.with(input.getBytes(StandardCharsets.UTF_8), arguments("chat", options));
    }

    private Run generate(String... options) {
        return Run.of(arguments("generate", options));
    }

    private String[] arguments(String command, String... options) {
        List<String> all = new ArrayList<>(List.of(command, model.toString()));
        all.addAll(Arrays.asList(options));
        return all.toArray(String[]::new);
    }

    private static String text(int[] bytes) {
        return Arrays.stream(bytes)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    @Test
    void eachLineIsAnsweredAndNobodyIsPrompted() {
        Run run = chat("w\n\n  \nx");
        assertThat(run.out()).isEqualTo("xyz\nyz\n");
        assertThat(run.err().lines()).hasSize(1).first().asString().startsWith("device host");
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
    }

    @Test
    void linesGoOnAfterABackslashAndInABlock() {
        Run run = chat("first\\\nthen w\n\"\"\"\n/not a command\n\nx\n\"\"\"\r\n/save %s\n".formatted(saved()));
        assertThat(run.out()).isEqualTo("xyz\nyz\n");
        assertThat(savedMessages()).contains("\"first\\nthen w\"", "\"/not a command\\n\\nx\"");
        assertThat(chat("\"\"\"\nw").out()).isEqualTo("xyz\n");
    }

    private Path saved() {
        return folder.resolve("saved.json");
    }

    private String savedMessages() {
        try {
            return Files.readString(saved());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void whatEarlierTurnsComputedIsReused() {
        Run run = chat("w\n/stats\nx\n/stats\n");
        // "user|w", then "user|wassistant|xyzuser|x".
        assertThat(run.err())
                .contains("prompt 6 tokens, 0 of them in the cache already", "answer 3 tokens", "9 of 1024 tokens used")
                .contains("prompt 25 tokens, 6 of them in the cache already", "27 of 1024 tokens used");
    }

    @Test
    void commandsChangeTheConversation() {
        Run run = chat("/system Be brief.\nw\n/save %s\n/reset\n/stats\n/system\n/help\n/seed 7\nx\n/quit\nw\n"
                .formatted(saved()));
        assertThat(run.out()).isEqualTo("xyz\nyz\n");
        assertThat(savedMessages()).isEqualTo("""
                        [
                        {"role":"system","content":"Be brief."},
                        {"role":"user","content":"w"},
                        {"role":"assistant","content":"xyz"}
                        ]
                        """);
        assertThat(run.err().lines())
                .contains(
                        "system prompt set",
                        "3 messages in " + saved(),
                        "a new conversation, with the system prompt",
                        "nothing has been answered yet",
                        "no system prompt",
                        "seed 7")
                .anySatisfy(line -> assertThat(line).contains("/save FILE"));
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
    }

    @Test
    void aRefusedCommandIsOneLineAndTheChatGoesOn() {
        Run run = chat("/nonsense now\n/save\n/save %s\n/save %s\n/seed x\nw\n"
                .formatted(saved(), model.resolve("config.json")));
        assertThat(run.out()).isEqualTo("xyz\n");
        assertThat(run.err().lines().filter(line -> line.startsWith("tutti: ")))
                .satisfiesExactly(
                        line -> assertThat(line).contains("\"/nonsense\"", "/help, /system, /reset"),
                        line -> assertThat(line).contains("/save names no file"),
                        line -> assertThat(line).contains("/save has nothing to save"),
                        line -> assertThat(line).contains("/save has nothing to save"),
                        line -> assertThat(line).contains("/seed is \"x\""));
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(chat("w\n/save " + model.resolve("config.json")).err()).contains("which this run reads");
    }

    @Test
    void whatCannotBeSavedToIsNamedWithWhatIsAcceptedAndTheChatGoesOn() throws IOException {
        Path link = folder.resolve("link");
        List<String> targets = new ArrayList<>(List.of(folder.toString(), folder + "/none/file.json"));
        if (Files.exists(Path.of("/dev/full"))) {
            Files.createSymbolicLink(link, folder.resolve("nowhere"));
            targets.addAll(List.of(link.toString(), "/dev/full", "/proc/x"));
        }
        for (String target : targets) {
            Run run = chat("w\n/save " + target + "\n/reset\nx\n");
            assertThat(run.err().lines().filter(line -> line.startsWith("tutti: ")))
                    .singleElement()
                    .asString()
                    .startsWith("tutti: /save " + target + ": ")
                    .endsWith("; accepted: /save FILE with a file that can be written");
            assertThat(run.out()).isEqualTo("xyz\nyz\n");
            assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
        }
        assertThat(folder.resolve("nowhere")).doesNotExist();
    }

    @Test
    void aSavedChatGoesOnInBothCommands() {
        chat("w\n/save " + saved());
        assertThat(chat("x\n/stats", "--messages", saved().toString()).err()).contains("prompt 25 tokens");

        Run run = generate("--chat", "--messages", saved().toString(), "--prompt", "x", "--json");
        assertThat(text(ints(run.json().get("prompt_tokens")))).isEqualTo("user|wassistant|xyzuser|x");
        assertThat(run.json().get("text").textValue()).isEqualTo("yz");
        assertThat(run.json().get("finish_reason").textValue()).isEqualTo("stop");

        Run nothing = generate("--chat", "--messages", saved().toString());
        assertThat(nothing.exitCode()).isEqualTo(ExitCode.BAD_USAGE);
        assertThat(nothing.err()).contains("--messages ends with no message to answer");
    }

    @Test
    void messagesThatAwaitAnAnswerGetOneFirst() throws IOException {
        Files.writeString(saved(), "[{\"role\": \"user\", \"content\": \"v\"}]");
        assertThat(chat("x\n", "--messages", saved().toString()).out()).isEqualTo("wxyz\nyz\n");
        assertThat(generate("--chat", "--messages", saved().toString()).out()).isEqualTo("wxyz\n");
        Run fromInput = Run.with(Files.readAllBytes(saved()), arguments("generate", "--chat", "--messages", "-"));
        assertThat(fromInput.out()).isEqualTo("wxyz\n");
    }

    @Test
    void aMessageIsPutIntoTheTemplate() throws IOException {
        Run run = generate("--chat", "--prompt", "w", "--system", "S", "--json");
        assertThat(text(ints(run.json().get("prompt_tokens")))).isEqualTo("system|Suser|w");
        Path file = Files.writeString(folder.resolve("message.txt"), "w");
        assertThat(generate("--chat", "--prompt-file", file.toString()).out()).isEqualTo("xyz\n");
        assertThat(chat("w\n/stats", "--system", "S").err()).contains("prompt 14 tokens");
    }

    @Test
    void aFullContextIsOneLineAndTheChatGoesOn() {
        // 32 positions: "user|w", "user|wassistant|xyzuser|x" with "yz", and then one message too many.
        Run run = chat("w\nx\nx\n/stats\n/reset\nw\n", "--kv-blocks", "2");
        assertThat(run.out()).isEqualTo("xyz\nyz\nxyz\n");
        assertThat(run.err())
                .contains("tutti: the conversation has at least 43 tokens; accepted: fewer than 32")
                .contains("/reset", "27 of 32 tokens used", "room for 32 of the context's 1024 tokens");
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
    }

    @Test
    void anAnswerEndsWhereTheRoomOrItsTokensDo() {
        Run full = chat("A\n", "--kv-blocks", "1");
        assertThat(full.out()).isEqualTo("BCDEFGHIJK\n");
        assertThat(full.err()).contains("the answer ends since the room for 16 tokens is full; /reset");
        Run bounded = chat("A\n", "--max-tokens", "3");
        assertThat(bounded.out()).isEqualTo("BCD\n");
        assertThat(bounded.err()).doesNotContain("full");
        assertThat(chat("A\n", "--stop", "FG").out()).isEqualTo("BCDE\n");
        assertThat(chat("y\n", "--ignore-eos", "--max-tokens", "3").out()).isEqualTo("z..\n");
    }

    @Test
    void anAnswerInAScriptIsBoundedUnlessAnotherBoundIsGiven() {
        Run run = chat("A\n");
        assertThat(run.out()).hasSize(512 + 1);
        assertThat(run.err()).contains("the answer ends after 512 tokens; --max-tokens N allows more");
        assertThat(chat("A\n", "--max-tokens", "600").out()).hasSize(600 + 1);
        assertThat(chat("w\n").err()).doesNotContain("--max-tokens");
    }

    @Test
    void whatIsSaidOfAnAnswerStandsOnALineOfItsOwn() {
        ByteArrayOutputStream screen = new ByteArrayOutputStream();
        Interrupts interrupts = new Interrupts();
        Console console =
                new Console(new ByteArrayInputStream(new byte[] {'A', '\n'}), screen, screen, false, interrupts);
        Main.run(
                console,
                FreshProcess.ofJvm(Main.class, interrupts),
                arguments("chat", "--device=host", "--max-tokens=3"));
        assertThat(screen.toString(StandardCharsets.UTF_8))
                .isEqualTo("BCD\nthe answer ends after 3 tokens; --max-tokens N allows more\n");
    }

    @Test
    void anOutputFromWhichNoTokenCanBeChosenIsOneLineAndTakenBack() {
        // x is likely after w, and seen in the first message: divided by this its logit is infinite.
        Run run = chat("xw\nw\n/stats\n", "--repetition-penalty", "5e-324");
        assertThat(run.out()).isEqualTo("xyz\n");
        assertThat(run.err().lines().filter(line -> line.startsWith("tutti: ")))
                .singleElement()
                .asString()
                .contains("with --repetition-penalty 4.9E-324: the logit of token 120 is Infinity");
        assertThat(run.err()).contains("prompt 6 tokens");
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
    }

    @Test
    void whatIsTooLongIsNamedByTheOptionsThatGaveIt() throws IOException {
        String long900 = "v".repeat(900);
        Files.writeString(saved(), "[{\"role\": \"user\", \"content\": \"%s\"}]".formatted(long900.repeat(2)));
        assertTooLong(generate("--chat", "--messages", saved().toString()), "--messages", 1805);
        assertTooLong(generate("--chat", "--prompt", long900.repeat(2)), "--prompt", 1805);
        Files.writeString(saved(), "[{\"role\": \"assistant\", \"content\": \"%s\"}]".formatted(long900));
        assertTooLong(
                generate("--chat", "--messages", saved().toString(), "--prompt", long900),
                "--messages with --prompt",
                1815);
    }

    private void assertTooLong(Run run, String options, int tokens) {
        assertThat(run.err())
                .isEqualTo("tutti: " + options + ", as the chat template writes it, has at least " + tokens
                        + " tokens; accepted: at most 1024, the context of " + model + "\n");
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
    }

    @Test
    void aTemplateThatWritesNothingIsAtFaultAndNotThePrompt() throws IOException {
        ChatModel.template(model, "{% if false %}{{ messages }}{% endif %}");
        String says = "tutti: " + model.resolve("chat_template.jinja") + ": makes no tokens of this conversation";
        for (Run run : new Run[] {chat("w\n"), generate("--chat", "--prompt", "w")}) {
            assertThat(run.err()).contains(says + "; accepted: ").containsOnlyOnce("tutti: ");
            assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
            assertThat(run.out()).isEmpty();
        }
    }

    @Test
    void whatTheTemplateRefusesIsOneLineAndTakenBack() throws IOException {
        ChatModel.template(
                model,
                "{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
                        + "{{ messages[-1]['content'] }}");
        Run run = chat("/system S\nw\n/system\nw\n/save " + saved());
        assertThat(run.out()).isEqualTo("xyz\n");
        assertThat(run.err()).containsOnlyOnce("tutti: ").contains("System role not supported");
        assertThat(savedMessages()).containsOnlyOnce("user");
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
        Run generated = generate("--chat", "--system", "S", "--prompt", "w");
        assertThat(generated.exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(generated.err()).contains("System role not supported");
        assertThat(generated.out()).isEmpty();
    }

    @Test
    void aModelWithoutATemplateIsRefused() throws IOException {
        Files.delete(model.resolve("chat_template.jinja"));
        for (Run run : new Run[] {chat("w\n"), generate("--chat", "--prompt", "w")}) {
            assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
            assertThat(run.err())
                    .startsWith("tutti: " + model + ": has no chat template; accepted: ")
                    .hasLineCount(1);
            assertThat(run.out()).isEmpty();
        }
    }

    @Test
    void optionsThatDoNotGoTogetherAreRefused() throws IOException {
        Files.writeString(
                saved(), "[{\"role\": \"system\", \"content\": \"S\"}, {\"role\": \"user\", \"content\": \"w\"}]");
        assertUsage(generate("--chat"), "no prompt is given");
        assertUsage(generate("--chat", "--tokens", "1"), "--tokens is given with --chat");
        assertUsage(generate("--chat", "--prompt", "a", "--prompt-file", "b"), "2 prompts");
        assertUsage(generate("--prompt", "a", "--system", "S"), "--system is given without --chat");
        assertUsage(generate("--messages", saved().toString()), "--messages is given without --chat");
        assertUsage(generate("--chat", "--messages", "-", "--prompt-file", "-"), "standard input");
        assertUsage(
                generate("--chat", "--messages", saved().toString(), "--system", "T"),
                "--system is given, and the first");
        assertUsage(generate("--chat", "--prompt", "w", "--system", "\uFFFD"), "--system has bytes");
        assertUsage(chat("w", "--messages", "-"), "--messages is -");
        assertUsage(chat("w", "--kv-blocks", "0"), "--kv-blocks is 0");
    }

    private static void assertUsage(Run run, String says) {
        assertThat(run.err()).startsWith("tutti: ").contains(says).hasLineCount(1);
        assertThat(run.exitCode()).isEqualTo(ExitCode.BAD_USAGE);
    }

    @Test
    void anInterruptEndsAScriptWhereItIs() {
        Interrupts interrupts = new Interrupts();
        ByteArrayOutputStream out = new ByteArrayOutputStream() {
            @Override
            public synchronized void write(byte[] bytes, int offset, int length) {
                super.write(bytes, offset, length);
                if (toString(StandardCharsets.UTF_8).contains("DE")) {
                    interrupts.request();
                }
            }
        };
        Run run = Run.with("A\nw\n".getBytes(StandardCharsets.UTF_8), out, interrupts, arguments("chat"));
        assertThat(run.exitCode()).isEqualTo(ExitCode.INTERRUPTED);
        assertThat(run.out()).isEqualTo("BCDE\n");
        assertThat(run.err()).doesNotContain("tutti:");
    }

    @Test
    void linesThatAreNotUtf8AreRefused() {
        Run run = Run.with(new byte[] {'w', '\n', (byte) 0xFF, '\n'}, arguments("chat"));
        assertThat(run.out()).isEqualTo("xyz\n");
        assertThat(run.err()).contains("tutti: standard input has a line that is not UTF-8");
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
    }

    @Test
    void theSameConversationAndSeedGiveTheSameAnswer() throws IOException {
        Files.writeString(model.resolve("generation_config.json"), "{\"do_sample\": true, \"temperature\": 9}");
        String[] options = {"--max-tokens", "12"};
        Run run = chat("w\n/seed 5\nw\n/reset\nw\n", options);
        assertThat(run.err()).contains("generation_config.json: temperature 9");
        JsonNode alone = generate("--chat", "--prompt", "w", "--seed", "5", "--json", "--max-tokens", "12")
                .json();
        assertThat(run.out()).endsWith(alone.get("text").textValue() + "\n");
        assertThat(chat("w\n/seed 5\nw\n/reset\nw\n", options).out()).isEqualTo(run.out());
    }

    @Test
    void inspectTellsWhetherThereIsATemplate() {
        assertThat(Run.of("inspect", model.toString()).out()).contains("  chat template yes\n");
        assertThat(Run.of("inspect", Run.TINY, "--json")
                        .json()
                        .get("chat_template")
                        .booleanValue())
                .isFalse();
    }
}
