package io.tutti.cli.option;

import picocli.CommandLine.Option;

/** What every command takes. picocli alone reads these fields: whether help was asked for is in its parse result. */
@SuppressWarnings("unused")
public final class CommonOptions {

    /** Seen before the command line is parsed, so that its own errors can show their trace too. */
    public static final String VERBOSE = "--verbose";

    @Option(names = VERBOSE, description = "With an error, show where in the program it arose.")
    private boolean verbose;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version.")
    private boolean version;
}
