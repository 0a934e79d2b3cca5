package io.tutti.jinja;

/**
 * A template cannot be parsed or rendered. The subclasses name three causes; any other failure, such as an operation
 * that its operands do not support, is a plain {@code JinjaException}.
 */
public sealed class JinjaException extends RuntimeException permits SyntaxException, RaisedException, LimitException {
    private static final long serialVersionUID = 1L;

    private int line;

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

    /** This exception, with its line set if it had none: the innermost statement reports first, and its line stays. */
    JinjaException at(int statementLine) {
        if (line == 0) {
            line = statementLine;
        }
        return this;
    }
}
