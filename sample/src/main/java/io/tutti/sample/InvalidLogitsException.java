package io.tutti.sample;

/**
 * A row of logits from which no token can be chosen: it holds a NaN or +Infinity, or nothing but -Infinity. The sampler that throws it
 * has drawn nothing and is as it was.
 */
public final class InvalidLogitsException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    InvalidLogitsException(String message) {
        super(message);
    }
}
