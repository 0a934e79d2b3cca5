package io.tutti.engine.model;

import io.tutti.engine.graph.Activations;
import io.tutti.engine.graph.Graph;
import io.tutti.modelio.config.ModelConfig;

/** The architectures that Tutti runs. */
public final class Models {

    private Models() {}

    /** The forward pass of the model that {@code config} describes. */
    public static Graph graph(ModelConfig config) {
        return graph(config, Activations.F32);
    }

    /**
     * The forward pass of the model that {@code config} describes.
     *
     * @param activations what enters its layers' projections where those are int4
     */
    public static Graph graph(ModelConfig config, Activations activations) {
        return switch (config.architecture()) {
            case LLAMA, MISTRAL, QWEN2, QWEN3 -> Llama.graph(config, activations);
            case BIGRAM -> Bigram.graph(config);
        };
    }
}
