package io.tutti.cli.chat;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.cli.ChatModel;
import io.tutti.cli.MainProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code tutti chat} in a process of its own, at a real terminal. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "Windows has no tmux")
class TerminalChatTest {

    /** An answer in capitals takes minutes to fill them. */
    private static final int CONTEXT = 1 << 24;

    private static final int BLOCK_TOKENS = 1 << 12;

    @TempDir
    private Path folder;

    /** What starts a chat, and says how it ended. */
    private Path script() throws IOException {
        return script(List.of());
    }

    private Path script(List<String> environment) throws IOException {
        Path model = ChatModel.write(folder.resolve("model"), CONTEXT);
        List<String> chat = MainProcess.command(
                Stream.concat(Stream.of("env", "XDG_STATE_HOME=" + folder.resolve("state")), environment.stream())
                        .toList(),
                List.of("-Dtutti.terminal=true", "-Dtutti.terminal.input=true"),
                "chat",
                model.toString(),
                "--device=host",
                "--block-tokens=" + BLOCK_TOKENS,
                "--kv-blocks=" + CONTEXT / BLOCK_TOKENS);
        return Files.writeString(folder.resolve("chat.sh"), """
                trap : INT # Ctrl-C is for the chat: this shell goes on.
                %s
                echo "left with $?$(stty -a | grep -o ' echo ')"
                exec cat
                """.formatted(
                        chat.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "))));
    }

    /** Whether the chat waits for a line, of which {@code typed} is there. */
    private static boolean prompts(String screen, String typed) {
        return lastLine(screen).equals(("> " + typed).strip());
    }

    private static String lastLine(String screen) {
        return screen.substring(screen.lastIndexOf('\n') + 1).strip();
    }

    @Test
    void aChatStreamsStopsRemembersAndBeginsAnew() throws Exception {
        try (Tmux tmux = Tmux.startOrSkip(folder, script())) {
            tmux.await("a prompt", screen -> prompts(screen, ""));

            tmux.type("A");
            tmux.press("Enter");
            String begun = tmux.await("an answer that has begun", screen -> screen.contains("XYZABC"));
            tmux.await("an answer that goes on", screen -> !screen.equals(begun) && !prompts(screen, ""));
            tmux.press("C-c");
            tmux.await("the prompt after a stopped answer", screen -> prompts(screen, ""));

            tmux.type("/stats");
            tmux.press("Enter");
            String stats = tmux.await("figures", screen -> screen.contains("tokens used"));
            assertThat(stats).contains("prompt 6 tokens, 0 of them in the cache already");
            tmux.await("a prompt", screen -> prompts(screen, ""));

            tmux.type("x");
            tmux.press("Enter");
            tmux.await("an answer", screen -> screen.contains("> x\nyz\n") && prompts(screen, ""));

            tmux.press("Up");
            tmux.await("the last line", screen -> prompts(screen, "x"));
            tmux.press("Up", "Up");
            tmux.await("the first line", screen -> prompts(screen, "A"));
            tmux.press("C-c");
            tmux.await("an empty line", screen -> prompts(screen, ""));

            tmux.type("/reset");
            tmux.press("Enter");
            tmux.await("a new conversation", screen -> screen.contains("a new conversation") && prompts(screen, ""));
            tmux.type("two lines");
            tmux.press("M-Enter");
            tmux.type("w");
            tmux.press("Enter");
            tmux.await("an answer", screen -> screen.contains("xyz\n") && prompts(screen, ""));
            tmux.type("/stats");
            tmux.press("Enter");
            // "user|two lines\nw" alone: the conversation before /reset is gone.
            tmux.await("figures", screen -> screen.contains("prompt 16 tokens") && screen.contains("19 of "));

            tmux.press("C-d");
            String end = tmux.await("the end", screen -> screen.contains("left with 0"));
            assertThat(end).as("the terminal as it was").endsWith("left with 0 echo");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "no-such-terminal", ""})
    void theKeysWorkInATerminalThatTheSystemDoesNotKnow(String type) throws Exception {
        // tmux's own keys are one terminal's; the others' sequences are typed.
        try (Tmux tmux = Tmux.startOrSkip(folder, script(List.of("TERM=" + type)))) {
            String begin = tmux.await("a prompt", screen -> prompts(screen, ""));
            assertThat(begin).doesNotContain("Exception", "jline");
            tmux.type("bcd");
            tmux.press("Home");
            tmux.type("a");
            tmux.press("End");
            tmux.type("e");
            tmux.press("Left", "Left");
            tmux.press("DC");
            tmux.await("an edited line", screen -> prompts(screen, "abce"));
            for (String home : List.of("\033[H", "\033OH", "\033[7~")) {
                tmux.type(home + "\033[3~");
            }
            for (String end : List.of("\033[F", "\033OF", "\033[8~")) {
                tmux.type("\033OD" + end + "x");
            }
            tmux.await("an edited line", screen -> prompts(screen, "exxx"));
            tmux.press("C-c");
            tmux.await("an empty line", screen -> prompts(screen, ""));
            tmux.press("C-d");
            tmux.await("the end", screen -> screen.contains("left with 0"));
        }
    }

    @Test
    void severalPastedLinesAreOneMessage() throws Exception {
        try (Tmux tmux = Tmux.startOrSkip(folder, script())) {
            String begin = tmux.await("a prompt", screen -> prompts(screen, ""));
            assertThat(begin).contains("model " + folder.resolve("model") + " (bigram, ");
            tmux.paste("a\\\r\n\tb\r\nw\r\n");
            tmux.await("the paste", screen -> screen.contains("b\n") && screen.contains("… w"));
            tmux.press("Enter");
            tmux.await("an answer", screen -> screen.contains("xyz\n") && prompts(screen, ""));
            Path saved = folder.resolve("saved.json");
            tmux.type("/save " + saved);
            tmux.press("Enter");
            tmux.await("a file", screen -> screen.contains("2 messages in "));
            assertThat(Files.readString(saved)).contains("\"a\\\\\\n\\tb\\nw\"");
        }
    }

    @Test
    void theNextChatFindsTheLinesOfTheLast() throws Exception {
        Path script = script();
        try (Tmux tmux = Tmux.startOrSkip(folder, script)) {
            tmux.await("a prompt", screen -> prompts(screen, ""));
            tmux.type("/seed 42");
            tmux.press("Enter");
            tmux.await("a prompt", screen -> screen.contains("seed 42\n") && prompts(screen, ""));
            tmux.press("C-c");
            tmux.await("the end", screen -> screen.contains("left with 0"));
        }
        try (Tmux tmux = Tmux.startOrSkip(folder, script)) {
            tmux.await("a prompt", screen -> prompts(screen, ""));
            tmux.press("Up");
            tmux.await("the line of the chat before", screen -> prompts(screen, "/seed 42"));
        }
    }

    @Test
    void aRequestToEndLeavesTheTerminalAsItWas() throws Exception {
        try (Tmux tmux = Tmux.startOrSkip(folder, script())) {
            tmux.await("a prompt", screen -> prompts(screen, ""));
            ProcessHandle chat = ProcessHandle.allProcesses()
                    .filter(process -> process.info().arguments().stream()
                            .flatMap(Arrays::stream)
                            .anyMatch(argument ->
                                    argument.equals(folder.resolve("model").toString())))
                    .findFirst()
                    .orElseThrow();
            chat.destroy();
            String end = tmux.await("the end", screen -> screen.contains("left with 130"));
            assertThat(end).endsWith("left with 130 echo");
        }
    }
}
