package io.tutti.cli.console;

/** The exit codes of every command. */
public final class ExitCode {
    public static final int DONE = 0;
    /** The model, the device or a file was refused. */
    public static final int REFUSED = 1;
    /** The command line itself is wrong. */
    public static final int BAD_USAGE = 2;
    /** Ctrl-C, or a request to end: 128 and the number of SIGINT, as shells have it. */
    public static final int INTERRUPTED = 130;

    private ExitCode() {}
}
