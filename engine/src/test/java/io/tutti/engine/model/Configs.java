package io.tutti.engine.model;

import io.tutti.modelio.Models;
import io.tutti.modelio.config.ConfigFile;
import java.nio.file.Path;

/** Configurations in a directory. */
final class Configs {

    private Configs() {}

    /** What {@code json} means as {@code dir}'s config.json. */
    static ModelConfig config(Path dir, String json) {
        Models.write(dir, ConfigFile.NAME, json);
        return ModelConfig.load(dir);
    }
}
