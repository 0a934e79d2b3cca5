package io.tutti.cli.chat;

import io.tutti.cli.console.Console;
import java.util.Optional;

/** Chooses where a chat reads from. */
public final class ChatInputs {

    private ChatInputs() {}

    /**
     * A person at a terminal, where standard input and error are one; else all of standard input as one message.
     *
     * @param lines whether, whoever types them, each line of standard input is a message or a command
     */
    public static ChatInput of(Console console, boolean lines) {
        if (lines) {
            return new ScriptInput(console);
        }
        // JLine's classes are loaded here, when there is a terminal for them.
        return console.isInteractive() ? TerminalInput.ofProcess(console) : new PipedInput(console);
    }

    /** Nobody, so that what has been said already is answered and nothing else. */
    public static ChatInput none() {
        return new ChatInput() {
            @Override
            public Optional<String> read() {
                return Optional.empty();
            }

            @Override
            public boolean stopsAnswer() {
                return false;
            }

            @Override
            public void close() {}
        };
    }
}
