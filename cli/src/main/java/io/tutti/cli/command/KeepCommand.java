package io.tutti.cli.command;

import io.tutti.cli.bench.FreshProcess;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.RefusedException;
import io.tutti.cli.console.UsageException;
import io.tutti.cli.keep.Idle;
import io.tutti.cli.keep.KeptFolder;
import io.tutti.cli.keep.KeptModel;
import io.tutti.cli.keep.KeptProcess;
import io.tutti.cli.option.ContextOption;
import io.tutti.cli.option.ModelOption;
import io.tutti.cli.option.RunOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Keeps a model loaded in a process of its own. */
@Command(
        name = "keep",
        customSynopsis = {"tutti keep MODEL [--idle TIME] [OPTIONS]", "       tutti keep [--stop [MODEL]]"},
        header = "Keep a model loaded, so that generate and chat start at once.",
        description = {
            "A process in the background holds the model, and ends when nobody has used it for a while. `generate` and",
            "`chat` use it if their options ask for the same cache type, weights, threads and device, and say so; their",
            "text is the same, bit for bit. It makes one text at a time; a run that finds it busy loads its own model.",
            "Without a model, keep lists what is kept."
        },
        footer = {
            "",
            "Examples:",
            "  tutti keep my-model",
            "  tutti keep my-model --idle 2h --kv f32",
            "  tutti keep",
            "  tutti keep --stop"
        })
public final class KeepCommand implements Callable<Integer> {

    private final Console console;
    private final FreshProcess fresh;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ModelOption model;

    @Mixin
    private ContextOption context;

    @Mixin
    private RunOptions run;

    private Duration idle = Duration.ofMinutes(10);

    @Option(names = "--stop", description = "End the process that keeps MODEL; without MODEL, all of them.")
    private boolean stop;

    @Option(
            names = "--foreground",
            description = "Hold the model in this process, and end with Ctrl-C, when idle or when stopped.")
    private boolean foreground;

    @Option(names = BackgroundStart.DETACHED, hidden = true)
    private boolean detached;

    /** @param fresh starts the process in the background */
    public KeepCommand(Console console, FreshProcess fresh) {
        this.console = console;
        this.fresh = fresh;
    }

    @Option(
            names = "--idle",
            paramLabel = "TIME",
            description = "End after so long without being used: 90s, 10m, 2h (default: 10m).")
    void idle(String text) {
        idle = Idle.parse(text);
    }

    @Override
    public Integer call() throws IOException {
        KeptFolder folder = KeptFolder.required();
        Optional<Path> directory = model.isGiven() ? Optional.of(model.path()) : Optional.empty();
        if (stop) {
            return stop(folder, directory);
        }
        if (directory.isEmpty()) {
            if (foreground) {
                throw new UsageException("--foreground has no model to hold; accepted: keep MODEL --foreground");
            }
            List<KeptProcess> kept = KeptProcess.all(folder);
            if (kept.isEmpty()) {
                noteNone(directory);
            }
            kept.forEach(process -> console.println(process.kept().text()));
            return ExitCode.DONE;
        }
        HeldModel held = new HeldModel(folder, directory.get(), context, run, idle, console);
        return foreground || detached ? held.hold(detached) : start(folder, held, directory.get());
    }

    /** Ends the process that keeps the model in {@code directory}; without one, all of them. */
    private int stop(KeptFolder folder, Optional<Path> directory) throws IOException {
        List<KeptProcess> ending = directory.isPresent()
                ? KeptProcess.of(folder, directory.get()).stream().toList()
                : KeptProcess.all(folder);
        if (ending.isEmpty()) {
            noteNone(directory);
        }
        for (KeptProcess process : ending) {
            end(process);
        }
        return ExitCode.DONE;
    }

    private void noteNone(Optional<Path> directory) {
        console.note("no model is kept" + directory.map(path -> " of " + path).orElse(""));
    }

    private void end(KeptProcess process) {
        KeptModel kept = process.kept();
        try {
            process.end();
        } catch (IOException e) {
            throw new RefusedException(
                    kept.model() + ": process " + kept.pid() + " does not end when it is told to: " + e + "; `kill "
                            + kept.pid() + "` ends it",
                    e);
        }
        console.note(kept.model() + " is no longer kept");
    }

    private int start(KeptFolder folder, HeldModel held, Path directory) throws IOException {
        Optional<KeptProcess> there = KeptProcess.of(folder, directory);
        if (there.isPresent() && held.isKeptBy(there.get())) {
            console.note("already kept: " + there.get().kept().text());
            return ExitCode.DONE;
        }
        there.ifPresent(this::end);
        List<String> arguments =
                new ArrayList<>(spec.root().commandLine().getParseResult().originalArgs());
        // Not at the end: what follows "--" is no option.
        arguments.add(arguments.indexOf(spec.name()) + 1, BackgroundStart.DETACHED);
        KeptProcess process = new BackgroundStart(fresh, folder, console).start(directory, arguments);
        console.note("kept: " + process.kept().text());
        return ExitCode.DONE;
    }
}
