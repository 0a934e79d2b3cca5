package io.tutti.cli.command;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.Progress;
import io.tutti.cli.console.RefusedException;
import io.tutti.cli.option.RunOptions;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.kv.KvException;
import io.tutti.modelio.files.UserFolder;
import io.tutti.runtime.DeviceChoice;
import io.tutti.runtime.Model;
import io.tutti.runtime.ModelFiles;
import io.tutti.runtime.ModelTooLargeException;
import io.tutti.runtime.Sizes;
import java.util.Locale;

/** Loads models, with progress at a terminal, and refuses in words of the command line. */
final class ModelLoading {

    private ModelLoading() {}

    /**
     * Loads a model; then says what {@code auto} chose and which tensors were ignored.
     *
     * @throws RefusedException if the device is not there, or the cache does not fit
     */
    static Model load(ModelFiles files, EngineConfig engine, RunOptions options, Console console) {
        Devices devices = Devices.find(options.backendOptions());
        HostAlone.remember(devices);
        DeviceChoice choice = DeviceRefusals.choose(options.device(), devices);
        Model model = load(files, engine, choice, options.threads(), console);
        model.choiceNote().ifPresent(console::note);
        model.loadNotes().forEach(console::note);
        UserFolder.CACHE.note().ifPresent(console::note);
        return model;
    }

    /**
     * Loads a model, and says nothing.
     *
     * @throws RefusedException if the weights or the cache do not fit
     */
    static Model load(ModelFiles files, EngineConfig engine, DeviceChoice choice, int threads, Console console) {
        try (Progress progress = console.progress("Loading")) {
            return Model.load(files, engine, choice, threads, (done, total) -> {
                console.interrupts().check();
                progress.report(done, total);
            });
        } catch (KvException e) {
            throw new RefusedException(cache(engine) + ": " + e.getMessage(), e);
        } catch (ModelTooLargeException e) {
            throw new RefusedException(
                    "%s: the weights take %s, the cache of %s %s; accepted: at most the %s of memory of %s"
                            .formatted(
                                    e.model(),
                                    Sizes.text(e.weightBytes()),
                                    cache(engine),
                                    Sizes.text(e.cacheBytes()),
                                    Sizes.text(e.memoryBytes()),
                                    e.device()),
                    e);
        }
    }

    private static String cache(EngineConfig engine) {
        return "--kv-blocks %d of --block-tokens %d (--kv %s)"
                .formatted(
                        engine.kvBlocks().orElse(1),
                        engine.blockTokens(),
                        engine.kvDtype().name().toLowerCase(Locale.ROOT));
    }
}
