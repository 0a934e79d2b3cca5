package io.tutti.modelio.files;

import io.tutti.modelio.ModelException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file with bytes of its own: opening a pipe would wait for its other end, and a device has no end. */
public final class PlainFile {
    private PlainFile() {}

    /**
     * Whether {@code file}, which need not be there, is.
     *
     * @throws ModelException if it is a link to nothing: a part of a model that went missing would else pass unseen
     */
    public static boolean isThere(Path file) {
        if (Files.exists(file)) {
            return true;
        }
        if (Files.isSymbolicLink(file)) {
            throw ModelException.of(
                    file, "is a link to " + target(file) + ", which is not there; accepted: a file, or no link");
        }
        return false;
    }

    private static String target(Path link) {
        try {
            return ModelException.quote(Files.readSymbolicLink(link).toString());
        } catch (IOException e) {
            throw ModelException.io(link, e);
        }
    }

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
