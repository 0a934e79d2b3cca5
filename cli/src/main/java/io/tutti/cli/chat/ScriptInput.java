package io.tutti.cli.chat;

import io.tutti.cli.console.Console;
import java.util.Optional;

/** Standard input a line at a time: each is a message or a command, and nobody is prompted. */
final class ScriptInput implements ChatInput {

    private final Console console;

    ScriptInput(Console console) {
        this.console = console;
    }

    @Override
    public Optional<String> read() {
        Optional<String> line = console.readLine();
        if (line.isEmpty()) {
            return line;
        }
        StringBuilder typed = new StringBuilder(line.get());
        while (Draft.isUnfinished(typed.toString())) {
            Optional<String> next = console.readLine();
            if (next.isEmpty()) {
                break;
            }
            typed.append('\n').append(next.get());
        }
        return Optional.of(typed.toString());
    }

    /** A signal ends the whole run. */
    @Override
    public boolean stopsAnswer() {
        return false;
    }

    @Override
    public void close() {}
}
