package io.tutti.cli.option;

import picocli.CommandLine.Option;

/** What the demo lets one change. */
public final class DemoOptions {

    private static final int DEFAULT_MAX_TOKENS = 200;
    private static final long DEFAULT_SEED = 1;

    private int maxTokens = DEFAULT_MAX_TOKENS;
    private Seed seed = new Seed(DEFAULT_SEED, false);

    @Option(
            names = {"-p", "--prompt"},
            paramLabel = "TEXT",
            defaultValue = "It is a truth universally acknowledged, that",
            description = "What the text begins with.")
    private String prompt;

    @Option(
            names = {"-n", "--max-tokens"},
            paramLabel = "N",
            description = "New tokens at most; -1: until the context is full (default: 200).")
    void maxTokens(String text) {
        maxTokens = Numbers.maxTokens("--max-tokens", text);
    }

    @Option(
            names = {"-s", "--seed"},
            paramLabel = "S",
            description = "The same seed writes the same text; random draws one and tells it (default: 1).")
    void seed(String text) {
        seed = Seed.parse("--seed", text);
    }

    public String prompt() {
        return prompt;
    }

    public int maxTokens() {
        return maxTokens;
    }

    public Seed seed() {
        return seed;
    }
}
