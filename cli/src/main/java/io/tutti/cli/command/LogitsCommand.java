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
import io.tutti.engine.model.StoredModel;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ForwardBatch;
import io.tutti.engine.runner.ForwardSeq;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvBlock;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.files.WholeOrNothing;
import io.tutti.modelio.safetensors.SafetensorsWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
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
        StoredModel stored = context.of(StoredModel.open(directory));
        ModelConfig config = stored.config();
        EncodedPrompt prompt = EncodedPrompt.withoutText(prompts.read(console), directory, config, tokenizers);
        int[] tokens = prompt.tokens();
        EngineConfig engine = run.engine(tokens.length, tokens.length);
        try (Model loaded = Model.load(stored, engine, run, console)) {
            prompt.notes().forEach(console::note);
            long rows = all ? tokens.length : 1;
            SafetensorsWriter.Declaration logits =
                    new SafetensorsWriter.Declaration(TENSOR, Dtype.F32, List.of(rows, (long) config.vocabSize()));
            SafetensorsWriter.write(
                    target, Map.of(), List.of(logits), writer -> write(loaded.runner(), tokens, writer));
            console.note("%s: logits, F32, [%d, %d]".formatted(target, rows, config.vocabSize()));
        }
        return ExitCode.DONE;
    }

    private void write(ModelRunner runner, int[] tokens, SafetensorsWriter writer) throws IOException {
        int vocab = runner.config().vocabSize();
        int chunk = Math.min(run.chunk(), runner.engineConfig().maxBatchTokens());
        if (all) {
            chunk = Math.min(chunk, Math.max(1, MOST_IN_STEP / vocab));
        }
        List<KvBlock> blocks = runner.pool().alloc(ModelRunner.blocksFor(tokens.length, runner.blockTokens()));
        try (Progress progress = console.progress("Computing")) {
            for (int start = 0; start < tokens.length; start += chunk) {
                console.interrupts().check();
                int end = Math.min(tokens.length, start + chunk);
                int outputs = all ? end - start : end == tokens.length ? 1 : 0;
                ForwardSeq part = new ForwardSeq(Arrays.copyOfRange(tokens, start, end), start, blocks, outputs);
                float[] logits = runner.forward(ForwardBatch.of(part)).data();
                writer.put(TENSOR, all ? (long) start * vocab : 0, logits);
                progress.report(end, tokens.length);
            }
        } finally {
            runner.pool().release(blocks);
        }
    }
}
