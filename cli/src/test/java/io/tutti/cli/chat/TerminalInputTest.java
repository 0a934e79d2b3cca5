package io.tutti.cli.chat;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.cli.console.Interrupts;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.jline.terminal.Attributes;
import org.jline.terminal.Attributes.ControlChar;
import org.jline.terminal.Attributes.LocalFlag;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.impl.DumbTerminal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Keys typed at a terminal that exists in memory only. */
@Timeout(60)
class TerminalInputTest {

    private static final String UP = "\033[A";
    private static final String ALT_ENTER = "\033\r";
    private static final String CONTROL_C = "\003";
    private static final String CONTROL_D = "\004";

    @TempDir
    private Path folder;

    private DumbTerminal terminal;

    private TerminalInput typing(String keys) throws IOException {
        return typing(keys, Optional.empty());
    }

    private TerminalInput typing(String keys, Optional<Path> history) throws IOException {
        terminal = new DumbTerminal(
                "test",
                "ansi",
                new ByteArrayInputStream(keys.getBytes(StandardCharsets.UTF_8)),
                new ByteArrayOutputStream(),
                StandardCharsets.UTF_8);
        Attributes attributes = terminal.getAttributes();
        attributes.setLocalFlags(EnumSet.of(LocalFlag.ECHO, LocalFlag.ISIG, LocalFlag.ICANON), true);
        attributes.setControlChar(ControlChar.VINTR, CONTROL_C.charAt(0));
        // Without keys of their own these would be taken for the end of the input, which is -1 as well.
        attributes.setControlChar(ControlChar.VQUIT, '\034');
        attributes.setControlChar(ControlChar.VSUSP, '\032');
        attributes.setControlChar(ControlChar.VSTATUS, '\024');
        terminal.setAttributes(attributes);
        return new TerminalInput(terminal, history, new Interrupts());
    }

    @Test
    void enterEndsALineAndControlDTheChat() throws IOException {
        try (TerminalInput input = typing("grüße 🙂!x!!\r/help\r" + CONTROL_D)) {
            assertThat(input.read()).contains("grüße 🙂!x!!");
            assertThat(input.read()).contains("/help");
            assertThat(input.read()).isEmpty();
        }
    }

    @Test
    void messagesOfSeveralLinesAreTypedInThreeWays() throws IOException {
        try (TerminalInput input = typing("a" + ALT_ENTER + "b\r" + "c\\\rd\r" + "\"\"\"\re\r\rf\r\"\"\"\r")) {
            assertThat(input.read()).contains("a\nb");
            assertThat(input.read()).contains("c\\\nd");
            assertThat(input.read()).contains("\"\"\"\ne\n\nf\n\"\"\"");
        }
    }

    @Test
    void earlierLinesAreFoundAgainAlsoInTheNextChat() throws IOException {
        Path history = folder.resolve("history");
        try (TerminalInput input = typing("first\\\rof two\rsecond\r" + UP + UP + "\r", Optional.of(history))) {
            input.read();
            input.read();
            assertThat(input.read()).contains("first\\\nof two");
        }
        assertThat(Files.readString(history)).contains("second");
        try (TerminalInput input = typing(UP + UP + UP + "\r", Optional.of(history))) {
            assertThat(input.read()).contains("second");
        }
    }

    @Test
    void controlCClearsALineAndLeavesAtAnEmptyOne() throws IOException {
        try (TerminalInput input = typing("half a line" + CONTROL_C + "whole\r" + CONTROL_C)) {
            assertThat(input.read()).contains("whole");
            assertThat(input.read()).isEmpty();
        }
    }

    @Test
    void controlCDuringAnAnswerStopsThatAnswerAlone() throws IOException {
        try (TerminalInput input = typing("one\rtwo\r")) {
            input.read();
            assertThat(input.stopsAnswer()).isFalse();
            terminal.raise(Signal.INT);
            assertThat(input.stopsAnswer()).isTrue();
            assertThat(input.read()).contains("two");
            assertThat(input.stopsAnswer()).isFalse();
        }
    }

    @Test
    void nothingTypedShowsDuringAnAnswerAndTheTerminalIsLeftAsItWas() throws IOException {
        TerminalInput input = typing("x\r");
        input.read();
        assertThat(terminal.getAttributes().getLocalFlag(LocalFlag.ECHO)).isFalse();
        input.close();
        assertThat(terminal.getAttributes().getLocalFlag(LocalFlag.ECHO)).isTrue();
    }

    @Test
    void tabCompletesCommands() throws IOException {
        try (TerminalInput input = typing("/st\t\r")) {
            assertThat(input.read().map(String::strip)).contains("/stats");
        }
    }

    private static String pasted(String text) {
        return "\033[200~" + text + "\033[201~";
    }

    @Test
    void severalPastedLinesAreOneMessageAsItStands() throws IOException {
        String code = "if x:\n\treturn \\\n\t\ty";
        String keys = pasted(code.replace("\n", "\r\n")) + "\r"
                + pasted(code.replace("\n", "\r")) + "\r"
                + pasted(code) + "\r"
                + "see " + pasted(code + "\r\n") + "\r"
                + pasted("/etc/hosts\r\nsays") + "\r"
                + "typed\r"
                + pasted("/stats") + "\r"
                + pasted("\"\"\"\ra\r\"\"\"") + "\r";
        try (TerminalInput input = typing(keys)) {
            for (String message : List.of(code, code, code, "see " + code, "/etc/hosts\nsays")) {
                assertThat(input.read()).contains(message);
                assertThat(input.isVerbatim()).isTrue();
            }
            for (String line : List.of("typed", "/stats", "\"\"\"\na\n\"\"\"")) {
                assertThat(input.read()).contains(line);
                assertThat(input.isVerbatim()).isFalse();
            }
        }
    }

    @Test
    void aTabInAMessageIsATabAlsoWhereNoBracketsTellThatItIsPasted() throws IOException {
        try (TerminalInput input = typing("\tone\ttwo\t\r" + "x\t/st\r")) {
            assertThat(input.read()).contains("\tone\ttwo\t");
            assertThat(input.read()).contains("x\t/st");
        }
    }
}
