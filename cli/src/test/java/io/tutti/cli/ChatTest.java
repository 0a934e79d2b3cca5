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

    /** Each line of {@code input} is a message or a command. */
    private Run chat(String input, String... options) {
        return Run.with(input.getBytes(StandardCharsets.UTF_8), arguments("chat", scripted(options)));
    }

    private static String[] scripted(String... options) {
        List<String> all = new ArrayList<>(List.of("--lines"));
        all.addAll(Arrays.asList(options));
        return all.toArray(String[]::new);
    }

    /** All of {@code input} is one message. */
    private Run pipe(String input, String... options) {
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
        assertThat(run.err().lines())
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("device host"),
                        line -> assertThat(line).isEqualTo("model " + model + " (bigram, 1,024 tokens of context)"));
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
    }

    @Test
    void linesGoOnAfterABackslashAndInABlock() {
        Run run = chat("first\\\nthen w\n\"\"\"\n/not a command\n\nx\n\"\"\"\r\n/save %s\n".formatted(saved()));
        assertThat(run.out()).isEqualTo("xyz\nyz\n");
        assertThat(savedMessages()).contains("\"first\\nthen w\"", "\"/not a command\\n\\nx\"");
        assertThat(chat("\"\"\"\nw").out()).isEqualTo("xyz\n");
    }

    @Test
    void allOfWhatIsPipedInIsOneMessageAsItStands() {
        Run run = pipe("/stats\r\n\"\"\"\r\nback\\\r\nslash\r\n\r\nw\r\n");
        assertThat(run.out()).isEqualTo("xyz\n");
        assertThat(run.err()).contains("standard input is one message, with the commands in it; --lines");
        JsonNode same = generate("--chat", "--prompt", "/stats\n\"\"\"\nback\\\nslash\n\nw", "--json")
                .json();
        Run piped = Run.with(
                "/stats\n\"\"\"\nback\\\nslash\n\nw\n".getBytes(StandardCharsets.UTF_8),
                arguments("generate", "--chat", "--json"));
        assertThat(piped.json().get("prompt_tokens")).isEqualTo(same.get("prompt_tokens"));
        assertThat(pipe("w\nx\n").out()).isEqualTo("yz\n");
        assertThat(pipe("w\nx\n").err()).doesNotContain("--lines");
        assertThat(pipe("\n").out()).isEmpty();
        assertThat(pipe("").exitCode()).isEqualTo(ExitCode.DONE);
    }

    @Test
    void aMessageAsAnArgumentIsAnsweredAloneAndNothingIsRead() {
        for (String command : List.of("run", "chat")) {
            Run run = Run.with("x\n".getBytes(StandardCharsets.UTF_8), arguments(command, "w"));
            assertThat(run.out()).isEqualTo("xyz\n");
            assertThat(run.err())
                    .contains(
                            "standard input is not read, because the message is given; without one it is the message");
            assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        }
        assertThat(Run.of("run", "w", "-m", model.toString()).out()).isEqualTo("xyz\n");
        assertThat(Run.of(arguments("run", "w")).err()).doesNotContain("standard input");
        assertThat(Run.with("w\n".getBytes(StandardCharsets.UTF_8), arguments("run"))
                        .out())
                .isEqualTo("xyz\n");
        assertThat(Run.of(arguments("run", "-p", "w")).out()).isEqualTo("xyz\n");
        assertUsage(pipe("", "w", "-p", "x"), "the message is given twice, as \"w\" and as --prompt \"x\"");
        assertUsage(pipe("", "-p", ""), "--prompt is blank");
        assertUsage(pipe("", " "), "MESSAGE is blank");
        assertUsage(pipe("", "\uFFFD"), "MESSAGE has bytes");
        assertUsage(pipe("", "w", "--lines"), "a message is given, and --lines");
        assertUsage(
                pipe("", "w", "x"), "\"x\"; accepted: what tutti chat --help lists (a text with spaces takes quotes");
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
                        line -> assertThat(line).contains("\"/nonsense\"", "/help, /system, /set, /reset"),
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
                .isEqualTo(
                        "model " + model
                                + " (bigram, 1,024 tokens of context)\nBCD\nthe answer ends after 3 tokens; --max-tokens N allows more\n");
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
        Run run = Run.with("A\nw\n".getBytes(StandardCharsets.UTF_8), out, interrupts, arguments("chat", "--lines"));
        assertThat(run.exitCode()).isEqualTo(ExitCode.INTERRUPTED);
        assertThat(run.out()).isEqualTo("BCDE\n");
        assertThat(run.err()).doesNotContain("tutti:");
    }

    @Test
    void linesThatAreNotUtf8AreRefused() {
        Run run = Run.with(new byte[] {'w', '\n', (byte) 0xFF, '\n'}, arguments("chat", "--lines"));
        assertThat(run.out()).isEqualTo("xyz\n");
        assertThat(run.err()).contains("tutti: standard input has a line that is not UTF-8");
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
    }

    @Test
    void theSameConversationAndSeedGiveTheSameAnswer() throws IOException {
        Files.writeString(model.resolve("generation_config.json"), "{\"do_sample\": true, \"temperature\": 9}");
        String[] options = {"--max-tokens", "12", "--seed", "3"};
        Run run = chat("w\n/seed 5\nw\n/reset\nw\n", options);
        assertThat(run.err()).contains("generation_config.json: temperature 9");
        JsonNode alone = generate("--chat", "--prompt", "w", "--seed", "5", "--json", "--max-tokens", "12")
                .json();
        assertThat(run.out()).endsWith(alone.get("text").textValue() + "\n");
        assertThat(chat("w\n/seed 5\nw\n/reset\nw\n", options).out()).isEqualTo(run.out());
    }

    @Test
    void aChatDrawsItsSeedAndTellsIt() {
        Run run = chat("w\n/stats\n/set\n/set seed random\n/seed random\n", "--temperature", "9", "-n", "9");
        String seed = run.err()
                .lines()
                .filter(line -> line.matches("seed [0-9]+"))
                .findFirst()
                .orElseThrow()
                .substring("seed ".length());
        assertThat(run.err()).contains("seed " + seed + "; ").containsPattern(" seed +" + seed + "\n");
        Run again = chat("w\n", "--temperature", "9", "-n", "9", "-s", seed);
        assertThat(run.out()).isEqualTo(again.out());
        assertThat(again.err()).doesNotContain("seed");
        assertThat(chat("w\n", "--temperature", "9").err()).doesNotContain("seed " + seed + "\n");
        assertThat(chat("w\n").err()).doesNotContain("seed");
        assertThat(chat("w\n/stats\n", "--seed", "7").err()).contains("seed 7; 9 of 1024");
    }

    @Test
    void setChangesWhatAnOptionSays() {
        Run run = chat("/set temp 9\n/set parameter num_predict 4\n/set seed 5\n/set top_k 3\nw\n/set\n");
        assertThat(run.out())
                .isEqualTo(generate("--chat", "-p", "w", "-s", "5", "-n", "4", "--temperature", "9", "--top-k", "3")
                        .out());
        assertThat(run.err().lines().map(line -> line.replaceAll(" +", " ")))
                .contains(
                        " temperature 9",
                        " top-k 3",
                        " top-p 1",
                        " min-p 0",
                        " repetition-penalty 1",
                        " presence-penalty 0",
                        " frequency-penalty 0",
                        " seed 5",
                        " max-tokens 4",
                        " when-full stop");
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(chat("/set system S\nw\n/stats\n").err()).contains("prompt 14 tokens");
        assertThat(chat("/set max-tokens 2\nA\n/set max-tokens -1\nA\n", "--kv-blocks", "3")
                        .out()
                        .lines()
                        .map(String::length))
                .containsExactly(2, 24);
    }

    @Test
    void aWrongSettingIsOneLineAndTheChatGoesOn() {
        Run run = chat("""
                /set temperature
                /set top-p 0
                /set heat 3
                /set max-tokens 0
                /set when-full never
                /set template-var x
                /set seed x
                w
                """);
        assertThat(run.err().lines().filter(line -> line.startsWith("tutti: ")))
                .satisfiesExactly(
                        line -> assertThat(line).contains("/set temperature is \"\"; accepted: a number"),
                        line -> assertThat(line).contains("/set top-p is 0; accepted: a number above 0"),
                        line -> assertThat(line).contains("/set \"heat\"", "temperature, top-k", "template-var"),
                        line -> assertThat(line).contains("/set max-tokens is 0", "-1"),
                        line -> assertThat(line).contains("/set when-full is \"never\"; accepted: stop or roll"),
                        line -> assertThat(line).contains("/set template-var is \"x\"; accepted: NAME=VALUE"),
                        line -> assertThat(line).contains("/set seed is \"x\"", "random"));
        assertThat(run.out()).isEqualTo("xyz\n");
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
    }

    @Test
    void templateVariablesReachTheTemplateAsJsonOrText() throws IOException {
        ChatModel.template(
                model,
                "{% if think is defined and think is false %}no|{% endif %}{{ list }}{{ word }}{{ none is none }}"
                        + "{{ messages[-1]['content'] }}");
        String[] variables = {
            "--template-var",
            "think=false",
            "--template-var",
            "list=[1, {\"a\": null}]",
            "--template-var",
            "word=low",
            "--template-var",
            "none=None"
        };
        List<String> all = new ArrayList<>(List.of("--chat", "--prompt", "w", "--json"));
        all.addAll(List.of(variables));
        Run run = generate(all.toArray(String[]::new));
        assertThat(text(ints(run.json().get("prompt_tokens")))).isEqualTo("no|[1, {'a': None}]lowTruew");
        assertThat(run.err()).doesNotContain("template-var");

        String script = "w\n/stats\n/set\n/set template-var think=True\nx\n/stats\n/set template-var think\n/set\n";
        Run chat = chat(script, variables);
        assertThat(chat.err())
                .contains("prompt 27 tokens")
                .contains("prompt 24 tokens")
                .containsOnlyOnce("think=false")
                .contains("list=[1,{\"a\":null}]");
        assertThat(chat.err()).doesNotContain("think=true");

        Run unused = chat("/set nothink\n/set template-var other=1\nw\n", "--template-var", "enable_thinking=1");
        assertThat(unused.err())
                .contains(
                        model.resolve("chat_template.jinja") + ": does not use enable_thinking, given by template-var")
                .contains("does not use enable_thinking, other");
    }

    @Test
    void setThinkTakesNoValueSoThatFalseIsNotTakenForTrue() {
        Run run = chat("/set think false\n/set\n");
        assertThat(run.err())
                .contains("tutti: /set think is \"false\"; accepted: /set think without a value")
                .doesNotContain("enable_thinking");
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
    }

    @Test
    void templateVariablesWithAWrongNameAreRefused() {
        for (String name : List.of("messages", "tools", "documents", "add_generation_prompt")) {
            assertUsage(chat("w", "--template-var", name + "=1"), "--template-var is \"" + name + "=1\"; accepted: ");
            assertUsage(generate("--chat", "-p", "w", "--template-var", name + "=1"), "\"" + name + "=1\"");
        }
        assertUsage(chat("w", "--template-var", "think"), "--template-var is \"think\"; accepted: NAME=VALUE");
        assertUsage(chat("w", "--template-var", "a b=1"), "NAME=VALUE with a name of letters");
        assertUsage(chat("w", "--template-var", "=1"), "NAME=VALUE with a name of letters");
        assertUsage(chat("w", "--template-var", "a=1", "--template-var", "a=2"), "--template-var a is given twice");
        assertUsage(generate("-p", "w", "--template-var", "a=1"), "--template-var is given without --chat");
    }

    @Test
    void aFullConversationGoesOnWithoutItsOldestTurns() throws IOException {
        // 48 positions, 12 of them for an answer: "user|w" and "assistant|xyz" are 19 tokens, "user|x" with its answer
        // 18.
        Run run = chat(
                "w\nx\nx\nx\n/save %s\n/stats\n".formatted(saved()),
                "--kv-blocks",
                "3",
                "--system",
                "S",
                "--when-full",
                "roll");
        assertThat(run.out()).isEqualTo("xyz\nyz\nyz\nyz\n");
        assertThat(run.err())
                .containsOnlyOnce("the room for 48 tokens is full: the oldest turns are forgotten, 2 now")
                .doesNotContain("tutti: ");
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(savedMessages()).startsWith("[\n{\"role\":\"system\"").endsWith("\"content\":\"yz\"}\n]\n");

        String kept = savedMessages();
        Files.writeString(saved(), kept.replaceFirst(",\\n[^\\n]*\\n]\\n$", "\n]\n"));
        JsonNode same =
                generate("--chat", "--messages", saved().toString(), "--json").json();
        assertThat(same.get("text").textValue()).isEqualTo("yz");
        assertThat(run.err()).contains("prompt " + same.get("prompt_tokens").size() + " tokens");
    }

    @Test
    void aMessageThatIsTooLongByItselfIsRefusedAndNothingIsForgotten() {
        Run run =
                chat("w\n%s\n/save %s\n".formatted("x".repeat(40), saved()), "--kv-blocks", "2", "--when-full", "roll");
        assertThat(run.err()).contains("tutti: the conversation has").doesNotContain("forgotten");
        assertThat(savedMessages()).contains("\"xyz\"");
        assertThat(run.out()).isEqualTo("xyz\n");
    }

    @Test
    void compactForgetsTheOldestTurns() {
        String[] room = {"--kv-blocks", "2"};
        Run run = chat("/compact\nw\n/compact\nx\nx\n/compact\nx\n/compact\n/save %s\n".formatted(saved()), room);
        assertThat(run.out()).isEqualTo("xyz\nyz\nyz\n");
        assertThat(run.err())
                .contains(
                        "tutti: the conversation has",
                        "(/reset begins a new conversation, /compact forgets the oldest turns)")
                .contains(
                        "there is no older turn to forget", "1 of 2 turns are forgotten", "1 of 2 turns are forgotten");
        assertThat(savedMessages()).doesNotContain("xyz").containsOnlyOnce("user");
        assertThat(chat("w\nx\n/compact\n").err()).contains("half of the room for 1024 tokens is free already");
    }

    @Test
    void ollamasWordsForCommandsAreKnown() {
        Run run = chat("/?\nw\n/clear\n/stats\n/bye\nw\n");
        assertThat(run.out()).isEqualTo("xyz\n");
        assertThat(run.err()).contains("/compact", "a new conversation", "nothing has been answered yet");
        assertThat(chat("/exit\nw\n").out()).isEmpty();
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
