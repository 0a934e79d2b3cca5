package io.tutti.cli.chat;

import io.tutti.cli.console.Console;
import java.util.Optional;

/** Chooses where a chat reads from. */
public final class ChatInputs {

    private ChatInputs() {}

    /**
     * A person at a terminal, if standard input and error are one; else all of standard input as one message.
     *
     * @param lines whether each line of standard input is a message or a command, even at a terminal
     */
    public static ChatInput of(Console console, boolean lines) {
        if (lines) {
            return new ScriptInput(console);
        }
        // JLine's classes are loaded here, when there is a terminal for them.
        return console.isInteractive() ? TerminalInput.ofProcess(console) : new PipedInput(console);
    }

    /** No input: the chat answers what has been said already, and ends. */
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
