package io.tutti.engine.backend;

/**
 * What a user may ask of backends.
 *
 * @param threads host threads to work with
 */
public record BackendOptions(int threads) {

    public BackendOptions {
        if (threads < 1) {
            throw new IllegalArgumentException("threads is " + threads + ", must be at least 1");
        }
    }

    /** All cores. */
    public static BackendOptions defaults() {
        return new BackendOptions(Runtime.getRuntime().availableProcessors());
    }
}
