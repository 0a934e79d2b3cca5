package io.tutti.runtime;

import io.tutti.base.TuttiException;
import java.nio.file.Path;

/** The weights and the cache do not fit into the device's memory. */
public final class ModelTooLargeException extends TuttiException {
    private static final long serialVersionUID = 1;

    private final transient Path model;
    private final long weightBytes;
    private final long cacheBytes;
    private final long memoryBytes;
    private final String device;

    ModelTooLargeException(Path model, long weightBytes, long cacheBytes, long memoryBytes, String device) {
        super("%s: the weights take %s, the cache %s; accepted: at most the %s of memory of %s"
                .formatted(model, Sizes.text(weightBytes), Sizes.text(cacheBytes), Sizes.text(memoryBytes), device));
        this.model = model;
        this.weightBytes = weightBytes;
        this.cacheBytes = cacheBytes;
        this.memoryBytes = memoryBytes;
        this.device = device;
    }

    /** The model's directory. */
    public Path model() {
        return model;
    }

    public long weightBytes() {
        return weightBytes;
    }

    public long cacheBytes() {
        return cacheBytes;
    }

    /** What the device has. */
    public long memoryBytes() {
        return memoryBytes;
    }

    /** The device's name. */
    public String device() {
        return device;
    }
}
