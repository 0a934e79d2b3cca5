package io.tutti.cli;

import io.tutti.engine.backend.Backend;
import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import java.util.List;
import java.util.function.Supplier;

/** A backend whose devices a test puts there for a while; it has none otherwise. */
public final class FakeBackend implements Backend {

    private static List<Device> devices = List.of();

    @Override
    public List<Device> devices(BackendOptions options) {
        return devices;
    }

    /** What {@code run} gives while the backend has {@code device}. */
    static Run with(Device device, Supplier<Run> run) {
        devices = List.of(device);
        try {
            return run.get();
        } finally {
            devices = List.of();
        }
    }
}
