package io.tutti.modelio.config;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.json.StrictJson;
import java.nio.file.Path;

/** config.json, the file that makes a directory a model directory. */
public final class ConfigFile {
    /** Its name. */
    public static final String NAME = "config.json";

    /** Bytes that a configuration may have. */
    static final int MAX_BYTES = 1 << 20;

    private ConfigFile() {}

    /**
     * The fields of {@code dir}'s config.json.
     *
     * @throws ModelException if there is none, or it is malformed
     */
    public static JsonFields read(Path dir) {
        Path file = ModelDirectory.open(dir).require(NAME);
        return new JsonFields(file, "", StrictJson.object(file, StrictJson.readBytes(file, MAX_BYTES)));
    }
}
