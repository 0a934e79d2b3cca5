package io.tutti.cli.option;

import picocli.CommandLine.Option;

/** Whether a run loads the model itself although {@code tutti keep} has it. */
public final class AloneOption {

    public static final String NAME = "--alone";

    @Option(names = NAME, description = "Load the model in this process, even if `tutti keep` has it loaded.")
    private boolean alone;

    public boolean alone() {
        return alone;
    }
}
