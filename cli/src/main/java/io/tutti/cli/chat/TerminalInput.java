package io.tutti.cli.chat;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.Interrupts;
import io.tutti.modelio.files.UserFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jline.reader.Candidate;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.EOFError;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Attributes;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.terminal.TerminalBuilder.SystemOutput;

/**
 * A person at a terminal: lines are edited, earlier ones found again, and Ctrl-C stops the answer, or at an empty line the
 * chat. The line and its prompt go to standard error, so that standard output has the answers alone.
 */
final class TerminalInput implements ChatInput {

    private static final String PROMPT = "> ";
    private static final String NEXT_LINE = "… ";

    private final Terminal terminal;
    private final Attributes original;
    private final MessageReader reader;
    private final Interrupts interrupts;
    private volatile boolean stopsAnswer;
    private boolean verbatim;

    /**
     * @param history where earlier lines are kept; empty for this session only
     */
    TerminalInput(Terminal terminal, Optional<Path> history, Interrupts interrupts) {
        this.terminal = terminal;
        this.interrupts = interrupts;
        original = terminal.getAttributes();
        Map<String, Object> variables = new HashMap<>(Map.of(LineReader.SECONDARY_PROMPT_PATTERN, NEXT_LINE));
        history.ifPresent(file -> variables.put(LineReader.HISTORY_FILE, file));
        reader = new MessageReader(terminal, variables);
        TerminalKind.bindKeys(reader);
        reader.setParser(TerminalInput::parse);
        reader.setCompleter((_, line, candidates) -> complete(line, candidates));
        reader.option(LineReader.Option.DISABLE_EVENT_EXPANSION, true);
        terminal.handle(Terminal.Signal.INT, _ -> stopsAnswer = true);
        terminal.echo(false); // What is typed during an answer shows at the next prompt, not amid the answer.
    }

    /** The terminal of this process, which there must be. */
    static TerminalInput ofProcess(Console console) {
        try {
            Terminal terminal = TerminalBuilder.builder()
                    .system(true)
                    .systemOutput(SystemOutput.SysErr)
                    .encoding(StandardCharsets.UTF_8)
                    .type(TerminalKind.ofProcess())
                    .dumb(true)
                    .build();
            Optional<Path> history = UserFolder.STATE.path().flatMap(folder -> HistoryFile.in(folder, console));
            if (UserFolder.CACHE.note().isEmpty()) {
                // Else one note has said it already.
                UserFolder.STATE.note().ifPresent(console::note);
            }
            console.note("Ctrl-D leaves, /help says what else there is");
            return new TerminalInput(terminal, history, console.interrupts());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Optional<String> read() {
        while (true) {
            interrupts.waitsForInput(this::restore);
            try {
                String typed = withoutLineEnd(reader.readLine(PROMPT));
                stopsAnswer = false;
                verbatim = reader.isPasted(typed) && !Draft.isBlock(typed);
                return Optional.of(typed);
            } catch (UserInterruptException e) {
                if (e.getPartialLine().isEmpty()) {
                    return Optional.empty();
                }
            } catch (EndOfFileException _) {
                return Optional.empty();
            } finally {
                interrupts.works();
            }
        }
    }

    /** Empty lines at the end come with a paste, and are no part of a message. */
    private static String withoutLineEnd(String typed) {
        return typed.replaceFirst("\n+$", "");
    }

    /** Several lines that were pasted are a message, whatever they look like. */
    @Override
    public boolean isVerbatim() {
        return verbatim;
    }

    @Override
    public boolean stopsAnswer() {
        return stopsAnswer;
    }

    private void restore() {
        terminal.setAttributes(original);
    }

    @Override
    public void close() {
        restore();
        try {
            terminal.close();
        } catch (IOException _) {
            // It has gone away by itself.
        }
    }

    /** JLine asks for another line when a parser says that there must be one. */
    private static ParsedLine parse(String typed, int cursor, Parser.ParseContext context) {
        if (context == Parser.ParseContext.ACCEPT_LINE && Draft.isUnfinished(typed)) {
            throw new EOFError(-1, -1, "another line follows");
        }
        return new Whole(typed, cursor);
    }

    private static void complete(ParsedLine line, List<Candidate> candidates) {
        if (Draft.isCommand(line.line())) {
            Arrays.stream(Command.values())
                    .map(Command::word)
                    .map(Candidate::new)
                    .forEach(candidates::add);
        }
    }

    /** A line that is one word. */
    private record Whole(String line, int cursor) implements CompletingParsedLine {
        @Override
        public String word() {
            return line;
        }

        @Override
        public int wordCursor() {
            return cursor;
        }

        @Override
        public int wordIndex() {
            return 0;
        }

        @Override
        public List<String> words() {
            return List.of(line);
        }

        @Override
        public CharSequence escape(CharSequence candidate, boolean complete) {
            return candidate;
        }

        @Override
        public int rawWordCursor() {
            return cursor;
        }

        @Override
        public int rawWordLength() {
            return line.length();
        }
    }
}
