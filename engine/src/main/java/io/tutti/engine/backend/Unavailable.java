package io.tutti.engine.backend;

/**
 * A way to devices that cannot be used here.
 *
 * @param backend what its devices' names begin with, {@code opencl}; or the provider's class, if it failed before it could say
 * @param reason why, on one line
 */
public record Unavailable(String backend, String reason) {

    /** For people: {@code opencl backend: no platform is installed}. */
    public String text() {
        return backend + " backend: " + reason;
    }
}
