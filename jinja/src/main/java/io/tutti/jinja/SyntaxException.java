package io.tutti.jinja;

/** The text is not a Jinja template, names a filter or test that Jinja does not have, or has a tag that is not supported. */
public final class SyntaxException extends JinjaException {
    private static final long serialVersionUID = 1L;

    SyntaxException(String message, int line) {
        super(message, line);
    }
}
