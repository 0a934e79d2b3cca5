package io.tutti.cli.option;

import picocli.CommandLine.Option;

/** Where and how a model runs. */
public final class RunOptions extends EngineOptions {

    @Option(
            names = "--device",
            paramLabel = "NAME",
            defaultValue = "auto",
            description = "auto, or a device that `tutti devices` lists, such as host (default: auto).")
    private String device;

    /** A device's name, or {@code auto}. */
    public String device() {
        return device;
    }
}
