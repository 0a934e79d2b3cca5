package io.tutti.engine.model;

import io.tutti.engine.graph.Graph;
import io.tutti.modelio.config.ModelConfig;

/** The architectures that Tutti runs. */
public final class Models {

    private Models() {}

    /** The forward pass of the model that {@code config} describes. */
    public static Graph graph(ModelConfig config) {
        return switch (config.architecture()) {
            case LLAMA -> Llama.graph(config);
            case BIGRAM -> Bigram.graph(config);
        };
    }
}
