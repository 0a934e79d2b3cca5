package io.tutti.hub;

import io.tutti.base.TuttiException;
import io.tutti.modelio.ModelException;
import java.io.IOException;
import java.nio.file.Path;

/** A model is not found, or cannot be brought here. The message is one line, meant for the user as it is. */
public final class HubException extends TuttiException {
    private static final long serialVersionUID = 1L;

    public HubException(String message) {
        super(message);
    }

    public HubException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Reading or writing {@code file} of the cache failed. */
    static HubException io(Path file, IOException cause) {
        return new HubException(ModelException.io(file, cause).getMessage(), cause);
    }
}
