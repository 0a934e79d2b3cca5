package io.tutti.chat.jinja;

/** A template is no Jinja, fails on its variables, raises an error of its own, or goes beyond its bounds. */
public final class JinjaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int line;

    JinjaException(String message) {
        this(message, 0);
    }

    JinjaException(String message, int line) {
        super(message);
        this.line = line;
    }

    /** The template's line, from 1; 0 where it is not known. */
    public int line() {
        return line;
    }

    /** This, at {@code place} if its line is not known yet: the innermost statement is the first to be asked. */
    JinjaException at(int place) {
        if (line > 0) {
            return this;
        }
        JinjaException placed = new JinjaException(getMessage(), place);
        placed.setStackTrace(getStackTrace());
        return placed;
    }
}
