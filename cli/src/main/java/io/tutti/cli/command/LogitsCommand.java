package io.tutti.cli.command;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.Progress;
import io.tutti.cli.option.ContextOption;
import io.tutti.cli.option.ModelOption;
import io.tutti.cli.option.OutOption;
import io.tutti.cli.option.PromptOptions;
import io.tutti.cli.option.RunOptions;
import io.tutti.cli.option.TokenizerOption;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.files.WholeOrNothing;
import io.tutti.modelio.safetensors.SafetensorsWriter;
import io.tutti.runtime.Model;
import io.tutti.runtime.ModelFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The logits of given tokens, as a safetensors file. */
@Command(
        name = "logits",
        customSynopsis = "tutti logits MODEL [PROMPT | --prompt-file FILE | --tokens IDS] --out FILE [OPTIONS]",
        header = "Write the logits of a prompt to a safetensors file.",
        description = {
            "The file holds one tensor, logits, F32: [1, vocabulary] for the last position, or with --all",
            "[tokens, vocabulary]. The same prompt gives the same bytes, whatever --chunk, --threads or --device. Piped text",
            "is the prompt if no other is given."
        },
        footer = {"", "Example:", "  tutti logits my-model --tokens 1,2,3 --all --out logits.safetensors"})
public final class LogitsCommand implements Callable<Integer> {

    private static final String TENSOR = "logits";
    /** Logits of a step that are held at once, in numbers: 128 MiB. */
    private static final int MOST_IN_STEP = 1 << 25;

    private final Console console;

    @Mixin
    private ModelOption model;

    @Mixin
    private ContextOption context;

    @Mixin
    private TokenizerOption tokenizers;

    @Mixin
    private PromptOptions prompts;

    @Option(names = "--out", paramLabel = "FILE", description = "The file to write; one that exists is replaced.")
    private Optional<String> out;

    @Option(names = "--all", description = "All positions (default: the last one).")
    private boolean all;

    @Mixin
    private RunOptions run;

    public LogitsCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Path directory = model.path(prompts);
        Path target = OutOption.path(out, "the file to write");
        prompts.check(console);
        WholeOrNothing.requireFile(target);
        Inputs.requireNone("--out", target, directory, prompts.path());
        Leftovers.note("--out", target, console);
        ModelFiles files = context.of(ModelFiles.open(directory)).withPipeline(tokenizers.pipeline());
        ModelConfig config = files.config();
        int[] tokens = PromptTokens.withoutText(prompts.read(console), files, tokenizers);
        EngineConfig engine = run.engine(tokens.length, tokens.length);
        try (Model loaded = ModelLoading.load(files, engine, run, console)) {
            files.tokenizerNotes().forEach(console::note);
            long rows = all ? tokens.length : 1;
            SafetensorsWriter.Declaration logits =
                    new SafetensorsWriter.Declaration(TENSOR, Dtype.F32, List.of(rows, (long) config.vocabSize()));
            SafetensorsWriter.write(target, Map.of(), List.of(logits), writer -> write(loaded, tokens, writer));
            console.note("%s: logits, F32, [%d, %d]".formatted(target, rows, config.vocabSize()));
        }
        return ExitCode.DONE;
    }

    private void write(Model loaded, int[] tokens, SafetensorsWriter writer) throws IOException {
        int vocab = loaded.files().config().vocabSize();
        int chunk = all ? Math.min(run.chunk(), Math.max(1, MOST_IN_STEP / vocab)) : run.chunk();
        try (Progress progress = console.progress("Computing")) {
            loaded.logits(tokens, all, chunk, (start, end, logits) -> {
                if (all) {
                    put(writer, (long) start * vocab, logits);
                } else if (end == tokens.length) {
                    put(writer, 0, logits);
                }
                progress.report(end, tokens.length);
                console.interrupts().check();
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static void put(SafetensorsWriter writer, long at, float[] logits) {
        try {
            writer.put(TENSOR, at, logits);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
