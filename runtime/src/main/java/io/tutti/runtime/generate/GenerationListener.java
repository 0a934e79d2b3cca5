package io.tutti.runtime.generate;

import java.util.function.Consumer;

/** Receives a text as it grows. */
public interface GenerationListener {

    /** Ignores everything. */
    GenerationListener NONE = new GenerationListener() {};

    /** Prompt tokens computed so far. */
    default void prefilled(int tokens, int of) {}

    /**
     * A new token.
     *
     * @param id the token
     * @param text what has become certain of the text: often one word, or nothing while a character or a stop text may be
     *     unfinished; empty without a tokenizer
     */
    default void token(int id, String text) {}

    /** The rest of the text, once no token follows. */
    default void end(String text) {}

    /** Hands every piece of the text to {@code consumer}. */
    static GenerationListener text(Consumer<String> consumer) {
        return new GenerationListener() {
            @Override
            public void token(int id, String text) {
                consumer.accept(text);
            }

            @Override
            public void end(String text) {
                consumer.accept(text);
            }
        };
    }
}
