package io.tutti.engine.model;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.safetensors.Checkpoint;
import io.tutti.modelio.weights.TiedHead;
import io.tutti.modelio.weights.Weights;
import java.nio.file.Path;

/**
 * A model directory of which each file is read once: its configuration, and the headers of its weights when somebody
 * first asks for them. Threads may share it.
 */
public final class StoredModel {
    private final Path directory;
    private final ModelConfig config;
    private Checkpoint checkpoint;
    private TiedHead head;

    /** @param config what {@code directory}'s files say, as {@link ModelConfig#load} has it */
    public StoredModel(Path directory, ModelConfig config) {
        this.directory = directory;
        this.config = config;
    }

    /**
     * Reads the configuration of the model in {@code directory}.
     *
     * @throws ModelException as {@link ModelConfig#load}
     */
    public static StoredModel open(Path directory) {
        return new StoredModel(directory, ModelConfig.load(directory));
    }

    public Path directory() {
        return directory;
    }

    /** What the configuration says; {@link ModelConfig#with(Weights)} is what the weights make of it. */
    public ModelConfig config() {
        return config;
    }

    /** This model with a context of so many positions. */
    public StoredModel withContext(int positions) {
        return new StoredModel(directory, config.withContext(positions));
    }

    /**
     * The headers of the weights. Who asks while another thread reads them waits for that.
     *
     * @throws ModelException as {@link Checkpoint#open}, to everybody who asks
     */
    public synchronized Checkpoint checkpoint() {
        if (checkpoint == null) {
            checkpoint = Checkpoint.open(directory);
        }
        return checkpoint;
    }

    /** The weights, of which nobody has asked for any yet. */
    public synchronized Weights weights() {
        if (head == null) {
            head = Weights.of(checkpoint(), config.head()).head();
        }
        return Weights.of(checkpoint(), head);
    }
}
