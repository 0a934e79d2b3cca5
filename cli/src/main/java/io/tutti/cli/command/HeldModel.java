package io.tutti.cli.command;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.RefusedException;
import io.tutti.cli.keep.Keeper;
import io.tutti.cli.keep.KeptFolder;
import io.tutti.cli.keep.KeptModel;
import io.tutti.cli.keep.KeptPlace;
import io.tutti.cli.keep.KeptProcess;
import io.tutti.cli.keep.OwnSession;
import io.tutti.cli.option.ContextOption;
import io.tutti.cli.option.RunOptions;
import io.tutti.engine.generate.CachedSequence;
import io.tutti.engine.generate.RunnerTokens;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.model.StoredModel;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.WarmUp;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** A model that this process holds for others. */
final class HeldModel {

    private final KeptFolder folder;
    private final Path directory;
    private final RunOptions run;
    private final Console console;
    private final StoredModel stored;
    private final EngineConfig engine;
    /** All of it except the device, which is chosen when the model is loaded. */
    private final KeptModel wanted;

    HeldModel(KeptFolder folder, Path directory, ContextOption context, RunOptions run, Duration idle, Console console)
            throws IOException {
        this.folder = folder;
        this.directory = directory;
        this.run = run;
        this.console = console;
        stored = context.of(new StoredModel(directory, ModelConfig.loadAlone(directory)));
        ModelConfig config = stored.config();
        engine = run.conversation(config, context);
        wanted = KeptModel.wanted(directory, config, run, engine.positions(config.context()), idle);
    }

    boolean isKeptBy(KeptProcess process) {
        return process.keepsAs(wanted);
    }

    /**
     * Loads the model, and holds it until it has been idle for long enough or somebody ends it.
     *
     * @param detached whether to leave the terminal's session, so that neither Ctrl-C nor closing the terminal ends it
     */
    int hold(boolean detached) throws IOException {
        if (detached) {
            OwnSession.begin();
        }
        try (KeptPlace place = takePlace();
                WarmUp warmUp = Model.warmUp(stored, run);
                Model loaded = Model.load(stored, engine, run, console);
                CachedSequence sequence = new CachedSequence(loaded.runner())) {
            warmUp.finish();
            RunnerTokens tokens = new RunnerTokens(loaded.runner(), sequence, Threads.loop(run.threads()));
            KeptModel kept = wanted.on(loaded.device().name(), loaded.choice(), loaded.oddities());
            Keeper keeper = new Keeper(place, kept, tokens);
            if (!detached) {
                console.note("kept: " + kept.text());
            }
            console.interrupts().waitsForInput(keeper::end);
            keeper.run();
            console.interrupts().works();
        }
        return ExitCode.DONE;
    }

    private KeptPlace takePlace() {
        return KeptPlace.take(folder, directory)
                .orElseThrow(() -> new RefusedException(directory
                        + ": another process keeps it already; `tutti keep` lists it, `tutti keep --stop` ends it"));
    }
}
