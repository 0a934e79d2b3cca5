package io.tutti.sample;

import io.tutti.base.TuttiException;

/** A sampling parameter has a value that it does not accept; the message names all three. */
public final class InvalidSamplingParamException extends TuttiException {
    private static final long serialVersionUID = 1;

    private final String parameter;
    private final String accepted;

    InvalidSamplingParamException(String parameter, Number value, String accepted) {
        super(parameter + " is " + value + "; accepted: " + accepted);
        this.parameter = parameter;
        this.accepted = accepted;
    }

    /** The parameter's name, as in {@code top-p}. */
    public String parameter() {
        return parameter;
    }

    /** What it accepts, in words. */
    public String accepted() {
        return accepted;
    }
}
