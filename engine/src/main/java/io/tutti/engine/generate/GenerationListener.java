package io.tutti.engine.generate;

/** Is told of a text as it grows. */
public interface GenerationListener {

    /** Tells nobody. */
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
}
