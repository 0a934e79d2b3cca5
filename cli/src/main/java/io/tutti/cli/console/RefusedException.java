package io.tutti.cli.console;

/** A device or a file is refused: one line that names it, what is wrong, and what is accepted. */
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public RefusedException(String message) {
        super(message);
    }

    public RefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
