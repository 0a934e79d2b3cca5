package io.tutti.cli.command;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.Progress;
import io.tutti.cli.console.UsageException;
import io.tutti.cli.option.CompareOptions;
import io.tutti.cli.option.ContextOption;
import io.tutti.cli.option.DevicesOption;
import io.tutti.cli.option.EngineOptions;
import io.tutti.cli.option.ModelOption;
import io.tutti.cli.option.PromptOptions;
import io.tutti.cli.option.TokenizerOption;
import io.tutti.cli.plot.Picture;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.compare.LayerComparison;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.selftest.VerdictCache;
import io.tutti.modelio.files.WholeOrNothing;
import io.tutti.runtime.ModelFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The same tokens on several devices, every logit compared bit by bit. */
@Command(
        name = "compare",
        customSynopsis = "tutti compare MODEL [PROMPT | --prompt-file FILE | --tokens IDS] [--device A,B] [OPTIONS]",
        header = "Run the same tokens on several devices and compare every logit, bit by bit.",
        description = {
            "The first device reads the prompt and goes on greedily, past end tokens too; the others get the same tokens.",
            "It reports how many bits differ, by how much, whether the same tokens were chosen, and the time of a token: the",
            "mean for the prompt, with the logits of every position; the median for new tokens. Without a prompt it runs 64",
            "tokens from all over the vocabulary. One device alone is compared with itself, the prompt token by token.",
            "The model is loaded on all devices at once. Exit code 0 says that the comparison was made, whatever it found."
        },
        footer = {
            "",
            "Examples:",
            "  tutti compare my-model --device host,opencl:0",
            "  tutti compare my-model --device host,opencl:0 --layers --plot difference.png",
            "  tutti compare my-model --device reference,host --tokens 1,2,3 --max-tokens 8 --json"
        })
public final class CompareCommand implements Callable<Integer> {

    private static final int DEFAULT_PROMPT_TOKENS = 64;

    private final Console console;

    @Mixin
    private ModelOption model;

    @Mixin
    private ContextOption context;

    @Mixin
    private TokenizerOption tokenizers;

    @Mixin
    private PromptOptions prompts;

    @Mixin
    private CompareOptions options;

    @Mixin
    private DevicesOption devices;

    @Mixin
    private EngineOptions run;

    public CompareCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Path directory = model.path(prompts);
        Optional<List<String>> names = devices.names();
        Optional<Path> plot = options.plot();
        if (prompts.given()) {
            prompts.check(console);
        }
        plot.ifPresent(target -> requirePlot(target, directory));
        ModelFiles files = context.of(ModelFiles.open(directory)).withPipeline(tokenizers.pipeline());
        ModelConfig config = files.config();
        int[] prompt = prompt(files);
        ComparedDevices compared =
                ComparedDevices.of(names, Devices.find(run.backendOptions()), VerdictCache.ofUser()::verdict);
        requireEnoughForLayers(compared.devices());

        long asked = (long) prompt.length + options.maxTokens() - 1;
        int positions = (int) Math.min(asked, config.context());
        EngineConfig engine = run.engine(prompt.length, positions);
        int chunk = Math.min(run.chunk(), engine.maxBatchTokens());
        int[] sequence = Arrays.copyOf(prompt, positions);
        CompareResult result;
        try (Tracks tracks = Tracks.load(files, engine, compared.devices(), run.threads(), chunk, positions, console)) {
            files.tokenizerNotes().forEach(console::note);
            compared.notes().forEach(console::note);
            int[] tokens =
                    new SideBySide(tracks.all(), config.vocabSize(), console).run(sequence, prompt.length, chunk);
            result = new CompareResult(prompt, tokens, tracks.figures(), List.of());
        }
        report(result, directory, engine.withMaxBatchTokens(chunk), sequence, compared, plot);
        console.requireWritten();
        return ExitCode.DONE;
    }

    private void requirePlot(Path target, Path directory) {
        WholeOrNothing.requireFile(target);
        Inputs.requireNone("--plot", target, directory, prompts.path());
        Leftovers.note("--plot", target, console);
        Picture.requireFonts();
    }

    private int[] prompt(ModelFiles files) {
        if (prompts.given()) {
            return PromptTokens.withoutText(prompts.read(console), files, tokenizers);
        }
        tokenizers.refuseWithoutPrompt();
        ModelConfig config = files.config();
        return SideBySide.someTokens(config.vocabSize(), Math.min(DEFAULT_PROMPT_TOKENS, config.context()));
    }

    private void requireEnoughForLayers(List<Device> devices) {
        if (options.layers() && devices.size() == 1) {
            String only = devices.getFirst().name();
            throw new UsageException("--layers needs two devices, and there is only " + only
                    + "; accepted: --device A,B, such as reference," + only);
        }
    }

    private void report(
            CompareResult result,
            Path directory,
            EngineConfig engine,
            int[] sequence,
            ComparedDevices compared,
            Optional<Path> plot) {
        CompareText text = new CompareText(console);
        if (!options.json()) {
            text.printLogits(result);
        }
        CompareResult all = options.layers() ? withLayers(result, directory, engine, sequence, compared) : result;
        plot.ifPresent(target -> WholeOrNothing.file(target, file -> ComparePlot.write(all, file)));
        if (options.json()) {
            console.println(CompareJson.of(all, compared, run).toString());
        } else {
            text.printLayers(all);
        }
    }

    private CompareResult withLayers(
            CompareResult result, Path directory, EngineConfig engine, int[] sequence, ComparedDevices compared) {
        LayerComparison layers = LayerComparison.of(directory, engine, sequence);
        List<Device> devices = compared.devices();
        List<LayerComparison.Result> results = new ArrayList<>();
        for (Device other : devices.subList(1, devices.size())) {
            try (Progress progress = console.progress("Layers")) {
                results.add(layers.run(devices.getFirst(), other, (done, total) -> {
                    console.interrupts().check();
                    progress.report(done, total);
                }));
            }
        }
        return new CompareResult(result.prompt(), result.tokens(), result.tracks(), results);
    }
}
