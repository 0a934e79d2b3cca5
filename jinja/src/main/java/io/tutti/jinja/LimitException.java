package io.tutti.jinja;

/** The template reached one of the {@link Limits} or a fixed bound of the interpreter, and was stopped. */
public final class LimitException extends JinjaException {
    private static final long serialVersionUID = 1L;

    /** @param problem which bound was reached, to follow "is stopped: " */
    LimitException(String problem) {
        super("is stopped: " + problem);
    }
}
