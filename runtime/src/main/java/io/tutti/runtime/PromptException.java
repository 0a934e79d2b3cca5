package io.tutti.runtime;

import io.tutti.base.TuttiException;
import java.nio.file.Path;

/** The model cannot take a prompt. */
public final class PromptException extends TuttiException {
    private static final long serialVersionUID = 1;

    /** What is wrong with it. */
    public enum Kind {
        /** It has no tokens. */
        EMPTY,
        /** It has a token id that is not in the vocabulary. */
        UNKNOWN_TOKEN,
        /** It has more tokens than the context. */
        TOO_LONG
    }

    private final Kind kind;
    private final String problem;

    private PromptException(Kind kind, String problem) {
        super("the prompt " + problem);
        this.kind = kind;
        this.problem = problem;
    }

    static PromptException empty() {
        return new PromptException(Kind.EMPTY, "gives no tokens with this model; accepted: at least one token");
    }

    static PromptException unknownToken(int id, int index, int vocabSize, Path model) {
        return new PromptException(
                Kind.UNKNOWN_TOKEN,
                "has the token id " + id + " at place " + (index + 1) + "; accepted: 0 to " + (vocabSize - 1)
                        + ", the vocabulary of " + model);
    }

    static PromptException tooLong(String tokens, int limit, String limitIs) {
        return new PromptException(
                Kind.TOO_LONG, "has " + tokens + " tokens; accepted: at most " + limit + ", " + limitIs);
    }

    public Kind kind() {
        return kind;
    }

    /** The message without its subject, for callers that have a better name for the prompt. */
    public String problem() {
        return problem;
    }
}
