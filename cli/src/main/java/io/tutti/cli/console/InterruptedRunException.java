package io.tutti.cli.console;

/** The user asked for an end; nothing needs to be said. */
public final class InterruptedRunException extends RuntimeException {
    private static final long serialVersionUID = 1L;
}
