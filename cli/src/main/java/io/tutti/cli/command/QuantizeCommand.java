package io.tutti.cli.command;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.Progress;
import io.tutti.cli.option.ModelOption;
import io.tutti.cli.option.OutOption;
import io.tutti.cli.option.QuantOption;
import io.tutti.engine.model.StoredModel;
import io.tutti.modelio.files.WholeOrNothing;
import io.tutti.modelio.quantize.ModelQuantizer;
import io.tutti.modelio.safetensors.Checkpoint;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** An int4 model directory from one of floats. */
@Command(
        name = "quantize",
        customSynopsis = "tutti quantize MODEL [--quant int4:G] --out DIR",
        header = "Write an int4 copy of a model.",
        description = {
            "The seven matrices of each layer become 4-bit integers with an f16 scale for each group of columns;",
            "all else is copied. The copy runs as `--quant` at load does, bit for bit; its linear layers take a quarter of a BF16 model's memory."
        },
        footer = {"", "Example:", "  tutti quantize my-model --quant int4:32 --out my-model-int4"})
public final class QuantizeCommand implements Callable<Integer> {

    private static final int DEFAULT_GROUP = 32;

    private final Console console;
    private int group = DEFAULT_GROUP;

    @Mixin
    private ModelOption model;

    @Option(
            names = "--quant",
            paramLabel = "int4:G",
            description = "Four bits, in groups of G columns (default: int4:32).")
    void quant(String text) {
        group = QuantOption.group(text);
    }

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "The directory to write: a new one, or one that is empty.")
    private Optional<String> out;

    public QuantizeCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Path directory = model.path();
        Path target = OutOption.path(out, "the directory to write");
        WholeOrNothing.requireEmpty(target);
        Leftovers.note("--out", target, console);
        try (Progress progress = console.progress("Quantizing")) {
            StoredModel stored = StoredModel.open(directory);
            Set<String> projections = stored.config().graph().storedProjections();
            ModelQuantizer.quantize(directory, stored.weights(), projections, target, group, (done, total) -> {
                console.interrupts().check();
                progress.report(done, total);
            });
        }
        console.note("%s: int4 in groups of %d, %s of tensors (before: %s)"
                .formatted(
                        target,
                        group,
                        Sizes.text(Checkpoint.open(target).bytes()),
                        Sizes.text(Checkpoint.open(directory).bytes())));
        return ExitCode.DONE;
    }
}
