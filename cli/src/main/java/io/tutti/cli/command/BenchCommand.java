package io.tutti.cli.command;

import io.tutti.cli.bench.BenchJson;
import io.tutti.cli.bench.BenchPlot;
import io.tutti.cli.bench.BenchReport;
import io.tutti.cli.bench.BenchResult;
import io.tutti.cli.bench.BenchText;
import io.tutti.cli.bench.BenchedModel;
import io.tutti.cli.bench.Commit;
import io.tutti.cli.bench.FreshProcess;
import io.tutti.cli.bench.Round;
import io.tutti.cli.bench.Rounds;
import io.tutti.cli.bench.Start;
import io.tutti.cli.bench.Workload;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.Progress;
import io.tutti.cli.console.RefusedException;
import io.tutti.cli.option.BenchOptions;
import io.tutti.cli.option.EngineOptions;
import io.tutti.cli.option.ModelOption;
import io.tutti.cli.plot.Picture;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.limits.ProcessorLimits;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.model.StoredModel;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.selftest.VerdictCache;
import io.tutti.modelio.files.WholeOrNothing;
import java.lang.reflect.Member;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;

/** How fast a model runs, beside what the machine can do. */
@Command(
        name = "bench",
        customSynopsis = "tutti bench MODEL [--device A,B] [--batch N] [--json] [--plot F.png] [OPTIONS]",
        header = "Measure how fast a model runs, beside what the machine can do.",
        description = {
            "Prefill of 512 tokens and decode of 128, greedily, from an empty cache and after 2,000 tokens: random ids, end",
            "tokens passed over. Every round measures beside them how fast all threads together read memory, and multiply",
            "and add, so that shares of those hold on a busy machine too. It reports the median of the rounds and the range.",
            "First token (after a prompt of 16), load time and peak memory (of one prefill and decode) are those of new",
            "processes that run `tutti generate`, mapped files included and already read once."
        },
        footer = {
            "",
            "Examples:",
            "  tutti bench my-model",
            "  tutti bench my-model --device host,opencl:0 --plot speed.png",
            "  tutti bench my-model --device host --batch 4 --quant int4:32 --json"
        })
public final class BenchCommand implements Callable<Integer> {

    /** How long a limit of the processor is measured, in each round. */
    private static final double SAMPLE_SECONDS = 0.25;

    private final Console console;
    private final FreshProcess fresh;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ModelOption model;

    @Mixin
    private BenchOptions options;

    @Mixin
    private EngineOptions run;

    /** @param fresh starts Tutti anew */
    public BenchCommand(Console console, FreshProcess fresh) {
        this.console = console;
        this.fresh = fresh;
    }

    @Override
    public Integer call() {
        Path directory = model.path();
        List<String> names = options.devices();
        Optional<Path> plot = options.plot();
        plot.ifPresent(target -> requirePlot(target, directory));
        StoredModel stored = StoredModel.open(directory);
        ModelConfig config = stored.config();
        Workload work = Workload.of(config, options.contexts(), options.batch());
        BenchedWeights weights = BenchedWeights.of(directory, config, run);
        EngineConfig engine = engine(work);
        List<DeviceChoice> choices = choose(names);

        List<String> notes = new ArrayList<>(work.notes());
        List<Optional<Start>> starts = starts(directory, config, work, choices, notes);
        List<List<Round>> rounds = rounds(stored, engine, work, choices, notes);
        BenchReport report = report(directory, work, weights, choices, starts, rounds);
        plot.ifPresent(target -> WholeOrNothing.file(target, file -> BenchPlot.write(report, file)));
        print(report);
        return ExitCode.DONE;
    }

    private void requirePlot(Path target, Path directory) {
        WholeOrNothing.requireFile(target);
        Inputs.requireNone("--plot", target, directory, Optional.empty());
        Leftovers.note("--plot", target, console);
        Picture.requireFonts();
    }

    private List<DeviceChoice> choose(List<String> names) {
        Devices devices = Devices.find(run.backendOptions());
        return names.stream()
                .map(name -> DeviceChoice.of(name, devices, VerdictCache.ofUser()::verdict))
                .toList();
    }

    /** An engine whose cache holds all that is held at once. */
    private EngineConfig engine(Workload work) {
        int blockTokens = run.engine(work.prefill(), 1).blockTokens();
        long positions = work.blocks(blockTokens) * blockTokens;
        if (positions > Integer.MAX_VALUE) {
            throw new RefusedException("--batch " + work.batch() + " and --context "
                    + work.contexts().getLast() + " take a cache of " + Sizes.grouped(positions)
                    + " positions; accepted: at most " + Sizes.grouped(Integer.MAX_VALUE));
        }
        EngineConfig engine = run.engine(Math.max(work.prefill(), work.positions()), (int) positions);
        return engine.withMaxSeqs(work.batch()).withMaxBatchTokens(Math.max(engine.maxBatchTokens(), work.batch()));
    }

    /** Device by device. Ahead of anything else, so that no two processes hold the model. */
    private List<Optional<Start>> starts(
            Path directory, ModelConfig config, Workload work, List<DeviceChoice> choices, List<String> notes) {
        int[] tokens = BenchedModel.randomTokens(config.vocabSize(), work.positions(), 0);
        List<Optional<Start>> starts = new ArrayList<>();
        int each = 1 + options.repeats();
        try (Progress progress = console.progress("Starting")) {
            for (int d = 0; d < choices.size(); d++) {
                String device = choices.get(d).device().name();
                Start.Meter meter = new Start.Meter(fresh, generateOptions(directory, device), tokens, work);
                int before = d * each;
                try {
                    starts.add(Optional.of(
                            start(meter, done -> progress.report(before + done, (long) each * choices.size()))));
                } catch (RefusedException e) {
                    notes.add(device + ": first token, load time and peak memory are not known: " + e.getMessage());
                    starts.add(Optional.empty());
                }
            }
        }
        return starts;
    }

    /** Told how many processes have run. */
    private interface Done {
        void processes(int count);
    }

    private Start start(Start.Meter meter, Done done) {
        Start.WholeRun whole = meter.wholeRun();
        double[] firstTokens = new double[options.repeats()];
        for (int i = 0; i < firstTokens.length; i++) {
            done.processes(1 + i);
            firstTokens[i] = meter.firstToken();
        }
        return Start.of(firstTokens, whole);
    }

    /** Options of {@code generate} for the same model, device and engine. */
    private List<String> generateOptions(Path directory, String device) {
        List<String> arguments =
                new ArrayList<>(List.of("--model", directory.toAbsolutePath().toString(), "--device", device));
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            if (option.userObject() instanceof Member member && member.getDeclaringClass() == EngineOptions.class) {
                arguments.add(option.longestName());
                arguments.addAll(option.originalStringValues());
            }
        }
        return arguments;
    }

    private List<List<Round>> rounds(
            StoredModel stored, EngineConfig engine, Workload work, List<DeviceChoice> choices, List<String> notes) {
        List<Model> models = new ArrayList<>();
        List<BenchedModel> benched = new ArrayList<>();
        try {
            for (DeviceChoice choice : choices) {
                Model loaded = Model.load(stored, engine, choice.device(), choice.verdict(), console);
                models.add(loaded);
                int chunk = Math.min(run.chunk(), engine.maxBatchTokens());
                benched.add(new BenchedModel(
                        loaded.runner(), work, chunk, Threads.loop(run.threads()), console.interrupts()));
            }
            choices.forEach(choice -> choice.note().ifPresent(console::note));
            models.getFirst().oddities().forEach(console::note);
            notes.forEach(console::note);
            return rounds(benched, work);
        } finally {
            benched.forEach(BenchedModel::close);
            models.reversed().forEach(Model::close);
        }
    }

    private List<List<Round>> rounds(List<BenchedModel> models, Workload work) {
        try (ProcessorLimits limits = new ProcessorLimits(run.threads(), SAMPLE_SECONDS);
                Progress progress = console.progress("Measuring")) {
            Rounds rounds = new Rounds(models, work, limits, console.interrupts());
            int fills = models.stream().mapToInt(BenchedModel::fillSteps).sum();
            int total = fills + rounds.steps(options.repeats());
            int[] done = {0};
            Runnable step = () -> progress.report(++done[0], total);
            models.forEach(each -> each.fill(step));
            return rounds.run(options.repeats(), step);
        }
    }

    private BenchReport report(
            Path directory,
            Workload work,
            BenchedWeights weights,
            List<DeviceChoice> choices,
            List<Optional<Start>> starts,
            List<List<Round>> rounds) {
        List<BenchResult> results = new ArrayList<>();
        for (int d = 0; d < choices.size(); d++) {
            Device device = choices.get(d).device();
            boolean onProcessor = device.kind() == DeviceKind.HOST || device.kind() == DeviceKind.CPU;
            results.add(new BenchResult(
                    device.name(),
                    device.description(),
                    device.driver(),
                    onProcessor,
                    work,
                    weights.cost(),
                    starts.get(d),
                    rounds.get(d)));
        }
        return new BenchReport(
                directory.toAbsolutePath().normalize().getFileName().toString(),
                weights.dtype(),
                run.activations().name().toLowerCase(Locale.ROOT),
                run.kv().name().toLowerCase(Locale.ROOT),
                run.threads(),
                run.chunk(),
                Commit.ofCheckout(),
                options.repeats(),
                work,
                results);
    }

    private void print(BenchReport report) {
        if (options.json()) {
            report.results()
                    .forEach(result ->
                            console.println(BenchJson.of(report, result).toString()));
        } else {
            BenchText.lines(report).forEach(console::println);
        }
        console.requireWritten();
    }
}
