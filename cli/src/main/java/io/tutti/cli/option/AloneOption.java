package io.tutti.cli.option;

import picocli.CommandLine.Option;

/** Whether a run does without a model that is kept loaded. */
public final class AloneOption {

    /** Its name. */
    public static final String NAME = "--alone";

    @Option(names = NAME, description = "Load the model in this process, even if `tutti keep` has it loaded.")
    private boolean alone;

    public boolean alone() {
        return alone;
    }
}
