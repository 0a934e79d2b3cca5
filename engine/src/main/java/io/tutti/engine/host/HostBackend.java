package io.tutti.engine.host;

import io.tutti.engine.backend.Backend;
import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import java.util.List;

/** The backend that is always there: plain Java with the Vector API, on the processor's cores. */
public final class HostBackend implements Backend {

    @Override
    public List<Device> devices(BackendOptions options) {
        return List.of(new HostDevice(options.threads()));
    }
}
