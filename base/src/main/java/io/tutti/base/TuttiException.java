package io.tutti.base;

/**
 * Tutti refuses something: a file, a value, a prompt, a device. The message is one line that names it, its value and what is
 * accepted. Each kind of refusal has a type of its own.
 */
public abstract class TuttiException extends RuntimeException {
    private static final long serialVersionUID = 1;

    protected TuttiException(String message) {
        super(message);
    }

    protected TuttiException(String message, Throwable cause) {
        super(message, cause);
    }
}
