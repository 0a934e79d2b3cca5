package io.tutti.cli.option;

import picocli.CommandLine.Option;

/** What the demo lets one change. */
public final class DemoOptions {

    private static final int DEFAULT_MAX_TOKENS = 200;
    private static final long DEFAULT_SEED = 1;

    private int maxTokens = DEFAULT_MAX_TOKENS;
    private long seed = DEFAULT_SEED;

    @Option(
            names = "--prompt",
            paramLabel = "TEXT",
            defaultValue = "It is a truth universally acknowledged, that",
            description = "What the text begins with.")
    private String prompt;

    @Option(names = "--max-tokens", paramLabel = "N", description = "New tokens at most (default: 200).")
    void maxTokens(String text) {
        maxTokens = Numbers.positive("--max-tokens", text);
    }

    @Option(names = "--seed", paramLabel = "S", description = "The same seed writes the same text (default: 1).")
    void seed(String text) {
        seed = Numbers.seed("--seed", text);
    }

    public String prompt() {
        return prompt;
    }

    public int maxTokens() {
        return maxTokens;
    }

    public long seed() {
        return seed;
    }
}
