package io.tutti.cli.console;

/** The command line is wrong: one line that names the option, its value, and what is accepted. */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }

    /** A refusal of an option's value. */
    public static UsageException of(String option, String value, String accepted) {
        return new UsageException(option + " is " + value + "; accepted: " + accepted);
    }
}
