package io.tutti.sample;

/** A sampling parameter has a value that it does not accept; the message names all three. */
public final class InvalidSamplingParamException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    InvalidSamplingParamException(String parameter, Number value, String accepted) {
        super(parameter + " is " + value + "; accepted: " + accepted);
    }
}
