package io.tutti.engine.backend;

import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

/** The devices that this machine offers. */
public final class Devices {

    /** The name of the device that is always there: the processor that the JVM runs on. */
    public static final String HOST = "host";

    private Devices() {}

    /** The devices of all backends on the class path, the host's first. */
    public static List<Device> all(BackendOptions options) {
        return ServiceLoader.load(Backend.class).stream()
                .flatMap(backend -> backend.get().devices(options).stream())
                .sorted(Comparator.comparing(device -> !device.name().equals(HOST)))
                .toList();
    }
}
