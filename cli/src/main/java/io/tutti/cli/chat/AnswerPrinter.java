package io.tutti.cli.chat;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.Progress;
import io.tutti.runtime.ChatListener;
import java.util.function.IntConsumer;

/** Prints an answer while it is made, and ends its line, also when an error cuts it short. */
final class AnswerPrinter implements ChatListener, AutoCloseable {

    private final Console console;
    private final Progress reading;
    private final IntConsumer forgot;
    private boolean begun;

    /** @param forgot receives how many turns were forgotten before the answer */
    AnswerPrinter(Console console, IntConsumer forgot) {
        this.console = console;
        this.forgot = forgot;
        reading = console.progress("Reading the conversation");
    }

    @Override
    public void forgot(int turns) {
        forgot.accept(turns);
    }

    @Override
    public void prefilled(int tokens, int of) {
        reading.report(tokens, of);
    }

    @Override
    public void token(int id, String text) {
        reading.close();
        begun = true;
        print(text);
    }

    @Override
    public void end(String text) {
        print(text);
    }

    private void print(String text) {
        if (!text.isEmpty()) {
            console.print(text);
            console.flush();
        }
    }

    @Override
    public void close() {
        reading.close();
        if (begun) {
            console.print("\n");
        }
        console.flush();
    }
}
