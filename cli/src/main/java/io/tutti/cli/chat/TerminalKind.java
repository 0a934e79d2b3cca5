package io.tutti.cli.chat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jline.keymap.KeyMap;
import org.jline.reader.Binding;
import org.jline.reader.LineReader;
import org.jline.reader.Reference;
import org.jline.utils.InfoCmp;

/**
 * What a terminal can do and what its keys send. Many systems do not know new terminals, least of all over a remote login; all of
 * these understand what xterm does.
 */
final class TerminalKind {

    /** JLine brings a description of this one. */
    private static final String COMMON = "xterm-256color";

    /** What terminals send for the keys of a line, whatever their descriptions say. */
    private static final Map<String, List<String>> KEYS = Map.of(
            LineReader.BEGINNING_OF_LINE, List.of("\033[H", "\033OH", "\033[1~", "\033[7~"),
            LineReader.END_OF_LINE, List.of("\033[F", "\033OF", "\033[4~", "\033[8~"),
            LineReader.OVERWRITE_MODE, List.of("\033[2~"),
            LineReader.DELETE_CHAR, List.of("\033[3~"),
            LineReader.BEGINNING_OF_HISTORY, List.of("\033[5~"),
            LineReader.END_OF_HISTORY, List.of("\033[6~"),
            LineReader.UP_LINE_OR_HISTORY, List.of("\033[A", "\033OA"),
            LineReader.DOWN_LINE_OR_HISTORY, List.of("\033[B", "\033OB"),
            LineReader.FORWARD_CHAR, List.of("\033[C", "\033OC"),
            LineReader.BACKWARD_CHAR, List.of("\033[D", "\033OD"));

    private TerminalKind() {}

    /** The name in TERM, or a common one where nothing describes that. */
    static String ofProcess() {
        String named = System.getenv("TERM");
        return named != null && isDescribed(named) ? named : COMMON;
    }

    private static boolean isDescribed(String type) {
        try {
            return !type.isEmpty() && !InfoCmp.getInfoCmp(type).isBlank();
        } catch (IOException _) {
            return false; // As where infocmp itself is missing.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    static void bindKeys(LineReader reader) {
        KeyMap<Binding> keys = reader.getKeyMaps().get(LineReader.MAIN);
        KEYS.forEach((widget, sequences) -> keys.bind(new Reference(widget), sequences));
    }
}
