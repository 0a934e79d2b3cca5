package io.tutti.cli.command;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.Progress;
import io.tutti.runtime.generate.GenerationListener;

/** Prints a text while it grows, or, without a tokenizer, its token ids. */
final class TextPrinter implements GenerationListener, AutoCloseable {

    private final Console console;
    private final boolean text;
    private final Figures figures;
    private final Progress prefill;
    private boolean begun;
    private boolean ended;

    /** @param text whether there is text; else ids are printed, with spaces between */
    TextPrinter(Console console, boolean text, Figures figures) {
        this.console = console;
        this.text = text;
        this.figures = figures;
        prefill = console.progress("Reading the prompt");
    }

    @Override
    public void prefilled(int tokens, int of) {
        prefill.report(tokens, of);
    }

    @Override
    public void token(int id, String fresh) {
        prefill.close();
        figures.firstToken();
        print(text ? fresh : (begun ? " " : "") + id);
    }

    @Override
    public void end(String rest) {
        ended = true;
        print(rest);
    }

    private void print(String piece) {
        if (!piece.isEmpty()) {
            begun = true;
            console.print(piece);
            console.flush();
        }
    }

    /** Ends the line, also when an error cut it short; one that cut it off before it began leaves none. */
    @Override
    public void close() {
        prefill.close();
        if (begun || ended) {
            console.print("\n");
        }
        console.flush();
    }
}
