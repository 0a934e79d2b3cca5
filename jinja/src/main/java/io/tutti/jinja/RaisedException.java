package io.tutti.jinja;

/** The template called {@code raise_exception}. The message is the template's own text: untrusted, and of any length. */
public final class RaisedException extends JinjaException {
    private static final long serialVersionUID = 1L;

    RaisedException(String message) {
        super(message);
    }
}
