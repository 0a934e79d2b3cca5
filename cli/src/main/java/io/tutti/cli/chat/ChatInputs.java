package io.tutti.cli.chat;

import io.tutti.cli.console.Console;

/** Chooses where a chat reads from. */
public final class ChatInputs {

    private ChatInputs() {}

    /** A person at a terminal, where standard input and error are one; else lines of standard input. */
    public static ChatInput of(Console console) {
        // JLine's classes are loaded here, when there is a terminal for them.
        return console.isInteractive() ? TerminalInput.ofProcess(console) : new ScriptInput(console);
    }
}
