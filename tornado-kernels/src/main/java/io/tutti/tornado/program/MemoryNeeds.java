package io.tutti.tornado.program;

/**
 * What a program takes of a device's memory, counted before any of it is allocated.
 *
 * @param weights bytes of the weights
 * @param cache bytes of the KV cache
 * @param cacheArray bytes of the largest of its arrays
 * @param activations bytes of a step's activations
 */
record MemoryNeeds(long weights, long cache, long cacheArray, long activations) {

    /** What to do about it. */
    static final String LESS = "smaller --kv-blocks or --chunk, or --quant int4:32, need less";

    /**
     * Refuses what the device has no room for.
     *
     * @throws io.tutti.engine.backend.DeviceException saying how much is needed, how much is there, and what needs less
     */
    void check(DeviceLimits limits) {
        long total = weights + cache + activations;
        if (total > limits.memoryBytes()) {
            throw limits.refusal("%d bytes are needed (weights %d, cache %d, activations %d), %d are there; %s"
                    .formatted(total, weights, cache, activations, limits.memoryBytes(), LESS));
        }
        if (cacheArray > limits.arrayBytes()) {
            throw limits.refusal(
                    "a region of the cache takes a buffer of %d bytes; accepted: at most %d; smaller --kv-blocks need less"
                            .formatted(cacheArray, limits.arrayBytes()));
        }
        if (activations > limits.arrayBytes()) {
            throw limits.refusal(
                    "a step's activations take a buffer of %d bytes; accepted: at most %d; smaller --chunk or --kv-blocks need less"
                            .formatted(activations, limits.arrayBytes()));
        }
    }
}
