package io.tutti.tornado.program;

import io.tutti.engine.backend.DeviceException;

/**
 * What a device has room for.
 *
 * @param name the device's name, for messages
 * @param memoryBytes its memory
 * @param bufferBytes its largest buffer
 * @param groupItems work-items of its largest work-group
 */
public record DeviceLimits(String name, long memoryBytes, long bufferBytes, long groupItems) {

    /** The most bytes that an array of ours may have: the device's limit, or TornadoVM's. */
    long arrayBytes() {
        return Math.min(bufferBytes - NativeArrays.HEADER_BYTES, NativeArrays.MOST_BYTES);
    }

    /** A refusal in the device's name. */
    DeviceException refusal(String text) {
        return new DeviceException("device " + name + ": " + text);
    }
}
