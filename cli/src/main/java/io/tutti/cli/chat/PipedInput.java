package io.tutti.cli.chat;

import io.tutti.cli.console.Console;
import io.tutti.cli.option.PipedText;
import java.util.Optional;

/** Standard input that is no terminal: all of it is one message. */
final class PipedInput implements ChatInput {

    private final Console console;
    private boolean read;

    PipedInput(Console console) {
        this.console = console;
    }

    @Override
    public Optional<String> read() {
        if (read) {
            return Optional.empty();
        }
        read = true;
        String text = PipedText.read(console).text();
        if (text.lines().anyMatch(PipedInput::isCommand)) {
            console.note("standard input is one message, with the commands in it; --lines takes each line by itself");
        }
        return Optional.of(text);
    }

    private static boolean isCommand(String line) {
        return Draft.isCommand(line)
                && Command.of(line.strip().split("\\s+", 2)[0]).isPresent();
    }

    @Override
    public boolean isVerbatim() {
        return true;
    }

    /** A signal ends the whole run. */
    @Override
    public boolean stopsAnswer() {
        return false;
    }

    @Override
    public void close() {}
}
