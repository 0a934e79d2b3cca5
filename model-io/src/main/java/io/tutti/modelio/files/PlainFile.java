package io.tutti.modelio.files;

import io.tutti.modelio.ModelException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file with bytes of its own: opening a pipe would wait for its other end, and a device has no end. */
public final class PlainFile {
    private PlainFile() {}

    /**
     * Passes a plain file, a link to one, and what is not there.
     *
     * @throws ModelException if {@code file} is a directory, pipe, socket or device
     */
    public static void require(Path file) {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw ModelException.of(file, "is not a plain file");
        }
    }
}
