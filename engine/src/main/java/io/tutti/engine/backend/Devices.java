package io.tutti.engine.backend;

import io.tutti.engine.host.HostBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** The devices that this machine offers. */
public final class Devices {

    private Devices() {}

    /** All devices: the host's, then those of the backends on the class path. */
    public static List<Device> all(BackendOptions options) {
        List<Device> devices = new ArrayList<>(new HostBackend().devices(options));
        for (Backend backend : ServiceLoader.load(Backend.class)) {
            devices.addAll(backend.devices(options));
        }
        return devices;
    }
}
