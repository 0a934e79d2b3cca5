package io.tutti.cli.command;

import io.tutti.cli.console.Console;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.Verdict.Exact;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.runtime.DeviceChoice;
import io.tutti.runtime.Model;
import io.tutti.runtime.ModelFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A model on every device of a comparison. */
final class Tracks implements AutoCloseable {

    private final List<Model> models = new ArrayList<>();
    private final List<Track> tracks = new ArrayList<>();

    private Tracks() {}

    /**
     * Loads the model on each device. A single one gets a second track, which takes its tokens one by one.
     *
     * @param chunk tokens that a step takes at most
     * @param positions positions that the sequence may fill
     */
    static Tracks load(
            ModelFiles files,
            EngineConfig engine,
            List<Device> devices,
            int threads,
            int chunk,
            int positions,
            Console console) {
        Tracks loaded = new Tracks();
        boolean alone = devices.size() == 1;
        try {
            for (Device device : devices) {
                int blocks = engine.kvBlocks().orElseThrow();
                EngineConfig config =
                        alone ? engine.withKvBlocks((int) Math.min(2L * blocks, Integer.MAX_VALUE)) : engine;
                Model model = ModelLoading.load(
                        files, config, new DeviceChoice(device, new Exact(), Optional.empty()), threads, console);
                loaded.models.add(model);
                loaded.tracks.add(new Track(device.name(), model.runner(), chunk, positions));
                if (alone) {
                    loaded.tracks.add(new Track(device.name() + " token by token", model.runner(), 1, positions));
                }
            }
            loaded.models.getFirst().loadNotes().forEach(console::note);
            return loaded;
        } catch (RuntimeException | Error e) {
            loaded.close();
            throw e;
        }
    }

    List<Track> all() {
        return tracks;
    }

    List<TrackFigures> figures() {
        return tracks.stream().map(Track::figures).toList();
    }

    @Override
    public void close() {
        tracks.forEach(Track::close);
        models.reversed().forEach(Model::close);
    }
}
