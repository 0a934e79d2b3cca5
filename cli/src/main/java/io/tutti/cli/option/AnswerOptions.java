package io.tutti.cli.option;

import java.util.OptionalInt;
import picocli.CommandLine.Option;

/** When an answer ends. */
public final class AnswerOptions extends EndOptions {

    private OptionalInt maxTokens = OptionalInt.empty();

    @Option(
            names = "--max-tokens",
            paramLabel = "N",
            description = "Tokens of an answer at most (default: as many as there is room for).")
    void maxTokens(String text) {
        maxTokens = OptionalInt.of(Numbers.positive("--max-tokens", text));
    }

    /** Tokens of an answer at most, if there is a bound. */
    public OptionalInt maxTokens() {
        return maxTokens;
    }
}
