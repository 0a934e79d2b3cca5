package io.tutti.cli.command;

import io.tutti.cli.console.Console;
import io.tutti.engine.backend.Device;
import io.tutti.engine.model.StoredModel;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.selftest.Verdict.Exact;
import java.util.ArrayList;
import java.util.List;

/** A model on every device of a comparison. */
final class Lanes implements AutoCloseable {

    private final List<Model> models = new ArrayList<>();
    private final List<Lane> lanes = new ArrayList<>();

    private Lanes() {}

    /**
     * Loads the model on each device. A single one gets a second lane, which takes its tokens one by one.
     *
     * @param chunk tokens that a step takes at most
     * @param positions positions that the sequence may fill
     */
    static Lanes load(
            StoredModel stored, EngineConfig engine, List<Device> devices, int chunk, int positions, Console console) {
        Lanes loaded = new Lanes();
        boolean alone = devices.size() == 1;
        try {
            for (Device device : devices) {
                int blocks = engine.kvBlocks().orElseThrow();
                EngineConfig config =
                        alone ? engine.withKvBlocks((int) Math.min(2L * blocks, Integer.MAX_VALUE)) : engine;
                Model model = Model.load(stored, config, device, new Exact(), console);
                loaded.models.add(model);
                loaded.lanes.add(new Lane(device.name(), model.runner(), chunk, positions));
                if (alone) {
                    loaded.lanes.add(new Lane(device.name() + " token by token", model.runner(), 1, positions));
                }
            }
            loaded.models.getFirst().oddities().forEach(console::note);
            return loaded;
        } catch (RuntimeException | Error e) {
            loaded.close();
            throw e;
        }
    }

    List<Lane> all() {
        return lanes;
    }

    List<LaneFigures> figures() {
        return lanes.stream().map(Lane::figures).toList();
    }

    @Override
    public void close() {
        lanes.forEach(Lane::close);
        models.reversed().forEach(Model::close);
    }
}
