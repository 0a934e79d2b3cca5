package io.tutti.sample;

import io.tutti.base.TuttiException;
import java.util.List;

/**
 * A row of logits from which no token can be chosen: it holds a NaN or +Infinity, or nothing but -Infinity. The model gave it so, unless
 * {@link #parameters} says what made it of a usable one. The sampler that throws it has drawn nothing and is as it was.
 */
public final class InvalidLogitsException extends TuttiException {
    private static final long serialVersionUID = 1;

    private final String problem;

    @SuppressWarnings("serial") // What List.copyOf gives is serializable, and so are strings.
    private final List<String> parameters;

    /**
     * @param parameters as {@link #parameters}
     * @param problem as {@link #problem}
     */
    public InvalidLogitsException(List<String> parameters, String problem) {
        super(parameters.isEmpty() ? problem : "with " + String.join(", ", parameters) + ": " + problem);
        this.problem = problem;
        this.parameters = List.copyOf(parameters);
    }

    /** The sampling parameters that spoilt the row, each with its value, such as {@code presence-penalty 0.5}; empty if the model did. */
    public List<String> parameters() {
        return parameters;
    }

    /** What is wrong with the row, and what would be accepted. */
    public String problem() {
        return problem;
    }
}
