package io.tutti.cli.command;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.option.ContextOption;
import io.tutti.cli.option.ModelOption;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What a model directory holds, or exactly why it is refused. */
@Command(
        name = "inspect",
        customSynopsis = "tutti inspect MODEL [--json]",
        header = "Show what a model directory holds, or exactly why it is refused.",
        description = "Reads the config and the weights' headers; the weights themselves are checked at load.")
public final class InspectCommand implements Callable<Integer> {

    private final Console console;

    @Mixin
    private ModelOption model;

    @Mixin
    private ContextOption context;

    @Option(names = "--json", description = "Print one JSON object instead.")
    private boolean json;

    public InspectCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Inspection inspection = Inspection.of(model.path(), context::of);
        if (json) {
            console.println(InspectJson.of(inspection).toString());
        } else {
            new InspectText(console).print(inspection);
        }
        console.requireWritten();
        return ExitCode.DONE;
    }
}
