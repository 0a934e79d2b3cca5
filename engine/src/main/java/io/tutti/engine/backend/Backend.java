package io.tutti.engine.backend;

import java.util.List;

/** A way to run programs, found by {@link java.util.ServiceLoader}; it knows the devices that it can reach. */
public interface Backend {

    /** The devices that are there, best first; empty if there are none. */
    List<Device> devices(BackendOptions options);
}
