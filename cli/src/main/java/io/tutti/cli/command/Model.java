package io.tutti.cli.command;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.Progress;
import io.tutti.cli.console.RefusedException;
import io.tutti.cli.option.RunOptions;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.model.StoredModel;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.engine.runner.WarmUp;
import io.tutti.engine.selftest.Verdict;
import io.tutti.engine.selftest.VerdictCache;
import io.tutti.kv.KvException;
import io.tutti.modelio.files.UserFolder;
import io.tutti.modelio.safetensors.TensorInfo;
import io.tutti.modelio.weights.Weights;
import io.tutti.tornado.config.JvmOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * A model on the device that the user chose.
 *
 * @param choice what there is to say about the choice
 * @param loadNanos how long loading took
 */
record Model(ModelRunner runner, Device device, Optional<String> choice, long loadNanos) implements AutoCloseable {

    /**
     * Begins what can be done for the first token before the prompt is known, if it is the host that will run; to be
     * ended when the model has loaded.
     */
    static WarmUp warmUp(StoredModel model, RunOptions options) {
        boolean host = options.device().equals(Devices.HOST) || !JvmOptions.inForce();
        return host ? WarmUp.begin(model, options.engine(1, 1)) : WarmUp.none();
    }

    /**
     * Loads a model; then says what {@code auto} chose, what is odd about the files, and which tensors were ignored.
     *
     * @throws RefusedException if the device is not there, or the cache does not fit
     */
    static Model load(StoredModel stored, EngineConfig engine, RunOptions options, Console console) {
        Devices devices = Devices.find(options.backendOptions());
        HostAlone.remember(devices);
        DeviceChoice choice = DeviceChoice.of(options.device(), devices, VerdictCache.ofUser()::verdict);
        Model loaded = load(stored, engine, choice.device(), choice.verdict(), console);
        Model model = new Model(loaded.runner, loaded.device, choice.note(), loaded.loadNanos);
        choice.note().ifPresent(console::note);
        model.oddities().forEach(console::note);
        UserFolder.CACHE.note().ifPresent(console::note);
        return model;
    }

    /**
     * Loads a model onto {@code device}, and says nothing.
     *
     * @param verdict of the device's self-test
     * @throws RefusedException if the weights or the cache do not fit
     */
    static Model load(StoredModel stored, EngineConfig engine, Device device, Verdict verdict, Console console) {
        requireMemory(stored, engine, device);
        long begin = System.nanoTime();
        try (Progress progress = console.progress("Loading")) {
            ModelRunner runner = ModelRunner.load(stored, engine, device, verdict, (done, total) -> {
                console.interrupts().check();
                progress.report(done, total);
            });
            return new Model(runner, device, Optional.empty(), System.nanoTime() - begin);
        } catch (KvException e) {
            throw new RefusedException(cache(engine) + ": " + e.getMessage(), e);
        }
    }

    /** The system would hand out memory that it does not have, and kill the process when it is used. */
    private static void requireMemory(StoredModel stored, EngineConfig engine, Device device) {
        double cache = (double) Sizes.cacheBytesPerToken(stored.config(), engine.kvDtype())
                * engine.blockTokens()
                * engine.kvBlocks().orElse(1);
        double weights = weightBytes(stored, engine.quantGroup());
        if (weights + cache > device.memoryBytes()) {
            throw new RefusedException(
                    "%s: the weights take %s, the cache of %s %s; accepted: at most the %s of memory of %s"
                            .formatted(
                                    stored.directory(),
                                    Sizes.text((long) weights),
                                    cache(engine),
                                    Sizes.text((long) cache),
                                    Sizes.text(device.memoryBytes()),
                                    device.name()));
        }
    }

    /** As stored, but for what is quantized at load: four bits an element, and an f16 for each group of them. */
    private static double weightBytes(StoredModel stored, OptionalInt quantGroup) {
        Weights weights = stored.weights();
        Set<String> projections = stored.config().graph().storedProjections();
        double bytes = 0;
        for (String name : weights.names()) {
            TensorInfo tensor = weights.checkpoint().tensor(name);
            double share = quantGroup.isPresent() && projections.contains(name)
                    ? (4 + 16.0 / quantGroup.getAsInt()) / tensor.dtype().bits()
                    : 1;
            bytes += share * tensor.bytes();
        }
        return bytes;
    }

    private static String cache(EngineConfig engine) {
        return "--kv-blocks %d of --block-tokens %d (--kv %s)"
                .formatted(
                        engine.kvBlocks().orElse(1),
                        engine.blockTokens(),
                        engine.kvDtype().name().toLowerCase(Locale.ROOT));
    }

    /** What is odd about the model's files, and which tensors were ignored, in words. */
    List<String> oddities() {
        List<String> notes = new ArrayList<>(runner.notes());
        List<String> unused = runner.unusedTensors();
        if (!unused.isEmpty()) {
            notes.add(Sizes.ignored(unused));
        }
        return notes;
    }

    @Override
    public void close() {
        runner.close();
    }
}
