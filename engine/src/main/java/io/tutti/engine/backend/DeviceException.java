package io.tutti.engine.backend;

import io.tutti.base.TuttiException;

/** A device refuses or fails: one line that names the device, what it was asked for, and what would help. */
public final class DeviceException extends TuttiException {
    private static final long serialVersionUID = 1L;

    public DeviceException(String message) {
        super(message);
    }

    public DeviceException(String message, Throwable cause) {
        super(message, cause);
    }
}
