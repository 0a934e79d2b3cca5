package io.tutti.cli.keep;

/** A kept model cannot give a token, or not any more; the run has to compute by itself. The message says why, in words. */
public final class KeptGoneException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    KeptGoneException(String message) {
        super(message);
    }
}
