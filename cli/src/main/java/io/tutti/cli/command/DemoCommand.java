package io.tutti.cli.command;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.RefusedException;
import io.tutti.cli.option.DemoOptions;
import io.tutti.cli.option.Prompt;
import io.tutti.cli.option.RunOptions;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.runtime.Model;
import io.tutti.runtime.ModelFiles;
import io.tutti.runtime.Sizes;
import io.tutti.runtime.generate.GenerationRequest;
import io.tutti.runtime.generate.GenerationResult;
import io.tutti.runtime.generate.Stops;
import io.tutti.sample.SamplingParams;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The first thing to run: a text, its speed, and the promise kept before one's eyes. */
@Command(
        name = "demo",
        customSynopsis = "tutti demo [OPTIONS]",
        header = "Write a text with the small built-in model, then show that its bits never change.",
        description = {
            "The model, trained on Jane Austen's novels, writes a text. Then the same sentences are computed one by one,",
            "all in one batch, in chunks, and token by token, and the logits are compared bit for bit."
        })
public final class DemoCommand implements Callable<Integer> {

    /** Set by the launcher: where the checkout is. */
    private static final String HOME_PROPERTY = "tutti.home";

    private static final Path MODEL = Path.of("golden", "models", "demo");
    private static final double TEMPERATURE = 0.8;
    private static final int CHUNK = 7;

    /** Of unlike lengths, in the manner of the model's training text. */
    private static final List<String> SENTENCES = List.of(
            "She",
            "It was not long before he came again.",
            "The evening was spent chiefly in talking over the news of the day, and telling again what had been written.",
            "\"My dear,\" said her mother,",
            "He had every reason to be satisfied with the morning; and as they walked home together in the rain she could "
                    + "not help laughing at the strange letter, which nobody in the house had been willing to read aloud.");

    private final Console console;

    @Mixin
    private DemoOptions demo;

    @Mixin
    private RunOptions run;

    public DemoCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Path directory = directory();
        try (ModelFiles files = ModelFiles.open(directory)) {
            int[] prompt = PromptTokens.of(new Prompt.Text("--prompt", demo.prompt()), true, files);
            Tokenizer tokenizer = files.tokenizer();
            List<int[]> sequences = SENTENCES.stream().map(tokenizer::encode).toList();
            GenerationRequest request = request(prompt, files.config());
            EngineConfig engine = engine(files.config(), request, sequences);
            try (Model loaded = ModelLoading.load(files, engine, run, console)) {
                demo.seed().note().ifPresent(console::note);
                int code = write(loaded, request);
                return code != ExitCode.DONE || console.closed() ? code : compare(loaded.runner(), sequences);
            }
        }
    }

    private static Path directory() {
        String home = System.getProperty(HOME_PROPERTY);
        if (home == null) {
            throw new RefusedException("the demo needs its model, " + MODEL + " of a checkout, and the property "
                    + HOME_PROPERTY + " is not set; accepted: ./tutti demo");
        }
        return Path.of(home).resolve(MODEL);
    }

    private GenerationRequest request(int[] prompt, ModelConfig config) {
        return new GenerationRequest(
                prompt,
                run.newTokens(prompt.length, demo.maxTokens()),
                SamplingParams.greedy().withTemperature(TEMPERATURE),
                demo.seed().value(),
                new Stops(config.eosTokenIds(), List.of()),
                false,
                run.chunk(),
                false);
    }

    private EngineConfig engine(ModelConfig config, GenerationRequest request, List<int[]> sequences) {
        EngineConfig one = run.engine(request.prompt().length, request.positions(config.context()));
        int batch = SameWork.blocksFor(sequences, one.blockTokens());
        int tokens = sequences.stream().mapToInt(s -> s.length).sum();
        return one.withMaxSeqs(sequences.size())
                .withMaxBatchTokens(Math.max(one.maxBatchTokens(), tokens))
                .withKvBlocks(Math.max(one.kvBlocks().orElse(batch), batch));
    }

    private int write(Model loaded, GenerationRequest request) {
        Figures figures = new Figures(request.prompt().length, loaded.loadNanos());
        GenerationResult result;
        console.print(demo.prompt());
        try (TextPrinter printer = new TextPrinter(console, true, figures)) {
            result =
                    loaded.generate(request, printer, () -> console.interrupts().asked() || console.closed());
        }
        console.requireWritten();
        if (console.interrupts().asked()) {
            return ExitCode.INTERRUPTED;
        }
        console.println("");
        console.println(String.format(
                Locale.ROOT,
                "%d tokens at %.0f tokens/s on %s",
                result.tokens().length,
                result.decodeRate(),
                loaded.device().name()));
        return ExitCode.DONE;
    }

    private int compare(ModelRunner runner, List<int[]> sequences) {
        SameWork work = new SameWork(runner, sequences);
        float[] alone = work.oneByOne(work.positions());
        console.println("");
        console.println("%d sentences, %d tokens, %s logits. Computed one by one, and again:"
                .formatted(sequences.size(), work.positions(), Sizes.grouped(alone.length)));
        long differing = report("all in one batch", alone, work.together())
                + report("in chunks of " + CHUNK, alone, work.oneByOne(CHUNK))
                + report("token by token", alone, work.oneByOne(1));
        console.println(
                differing == 0
                        ? "Same model, same seed, same bits."
                        : "The bits are not the same. This is a bug in Tutti or its device.");
        console.requireWritten();
        return differing == 0 ? ExitCode.DONE : ExitCode.REFUSED;
    }

    private long report(String way, float[] alone, float[] again) {
        console.interrupts().check();
        long differing = SameWork.differing(alone, again);
        console.println(
                "  %-17s %s".formatted(way, differing == 0 ? "the same bits" : Sizes.grouped(differing) + " differ"));
        console.flush();
        return differing;
    }
}
