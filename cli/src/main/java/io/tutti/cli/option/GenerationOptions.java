package io.tutti.cli.option;

import picocli.CommandLine.Option;

/** When a text ends. */
public final class GenerationOptions extends EndOptions {

    private static final int DEFAULT_MAX_TOKENS = 128;

    private int maxTokens = DEFAULT_MAX_TOKENS;

    @Option(
            names = {"-n", "--max-tokens"},
            paramLabel = "N",
            description = "New tokens at most; -1: until the context is full (default: 128).")
    void maxTokens(String text) {
        maxTokens = Numbers.maxTokens("--max-tokens", text);
    }

    public int maxTokens() {
        return maxTokens;
    }
}
