package io.tutti.engine.backend;

import java.util.List;

/**
 * A way to run programs, found by {@link java.util.ServiceLoader}; it knows the devices that it can reach. Whatever it
 * throws makes it unavailable, and leaves other backends as they are.
 */
public interface Backend {

    /** The devices that are there, best first; empty if there are none. */
    List<Device> devices(BackendOptions options);

    /** What of this backend cannot be used, and why; asked for after {@link #devices}. */
    default List<Unavailable> unavailable() {
        return List.of();
    }
}
