package io.tutti.cli.keep;

/** A kept model gives no more tokens, so that the run has to compute them itself. The message says why. */
public final class KeptGoneException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    KeptGoneException(String message) {
        super(message);
    }
}
