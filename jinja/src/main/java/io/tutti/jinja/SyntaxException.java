package io.tutti.jinja;

/** The text is not a Jinja template, or uses a tag, filter or test that this interpreter does not have. */
public final class SyntaxException extends JinjaException {
    private static final long serialVersionUID = 1L;

    SyntaxException(String message, int line) {
        super(message, line);
    }
}
