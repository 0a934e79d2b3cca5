package io.tutti.cli.option;

import java.util.OptionalInt;
import picocli.CommandLine.Option;

/** When an answer ends. */
public final class AnswerOptions extends EndOptions {

    /** Without a person to stop it, an answer that repeats itself would fill the context. */
    private static final int SCRIPT_MAX_TOKENS = 512;

    private OptionalInt maxTokens = OptionalInt.empty();

    @Option(
            names = {"-n", "--max-tokens"},
            paramLabel = "N",
            description =
                    "Tokens of an answer at most; -1: as many as there is room for (default: at a terminal -1, else "
                            + SCRIPT_MAX_TOKENS + ").")
    void maxTokens(String text) {
        maxTokens = OptionalInt.of(Numbers.maxTokens("--max-tokens", text));
    }

    /**
     * Tokens of an answer at most, if there is a bound.
     *
     * @param interactive whether there is a person who can stop an answer
     */
    public OptionalInt maxTokens(boolean interactive) {
        return maxTokens.isPresent() || interactive ? maxTokens : OptionalInt.of(SCRIPT_MAX_TOKENS);
    }
}
