package io.tutti.modelio.tokenizer;

/** Tokenizer files for tests of other packages. */
public final class TokenizerFixtures {
    private TokenizerFixtures() {}

    /** A byte-level tokenizer.json. */
    public static String byteLevel() {
        return TokenizerFiles.byteLevel().toString();
    }
}
