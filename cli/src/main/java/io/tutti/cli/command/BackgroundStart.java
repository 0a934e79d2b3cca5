package io.tutti.cli.command;

import io.tutti.cli.bench.FreshProcess;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.RefusedException;
import io.tutti.cli.keep.KeptFolder;
import io.tutti.cli.keep.KeptProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Starts a process that keeps a model, and waits until it has loaded. */
final class BackgroundStart {

    /** The hidden option that tells a process that it was started in the background. */
    static final String DETACHED = "--detached";

    private static final int POLL_MILLIS = 50;

    private final FreshProcess fresh;
    private final KeptFolder folder;
    private final Console console;

    BackgroundStart(FreshProcess fresh, KeptFolder folder, Console console) {
        this.fresh = fresh;
        this.folder = folder;
        this.console = console;
    }

    /**
     * Starts a process that keeps the model in {@code directory}.
     *
     * @param arguments its command line
     * @throws RefusedException with the process's own line, if it refuses the model
     */
    KeptProcess start(Path directory, List<String> arguments) throws IOException {
        folder.make();
        FreshProcess.Background process = fresh.background(arguments, folder.log(directory));
        boolean loaded = false;
        try {
            Optional<KeptProcess> kept = Optional.empty();
            while (kept.isEmpty()) {
                console.interrupts().check();
                process.requireAlive();
                pause();
                kept = KeptProcess.of(folder, directory);
            }
            loaded = true;
            return kept.get();
        } finally {
            if (!loaded) {
                process.end();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this thread", e);
        }
    }
}
