package io.tutti.engine.model;

import io.tutti.engine.graph.Graph;
import io.tutti.modelio.config.JsonFields;
import java.util.List;

/**
 * A family of models: what its config.json means, and what such a model computes. Each is one file, and one line of {@link
 * Architectures}. It reads its own keys; it refuses those that would change the result in a way that the engine does not
 * compute, and passes over those that do not matter to inference.
 */
interface Architecture {

    /** The name of the output projection in the checkpoints of nearly all architectures. */
    String OUTPUT_PROJECTION = "lm_head.weight";

    /** config.json's model_type. */
    String modelType();

    /** The class of Hugging Face's that config.json's architectures name; empty if there is none. */
    String causalLm();

    /** Whether the embedding is also the output projection, if the weights do not say otherwise. */
    default boolean isTied(JsonFields fields) {
        return fields.flag("tie_word_embeddings", false);
    }

    /**
     * Reads a configuration.
     *
     * @param tied whether the embedding is also the output projection
     * @throws io.tutti.modelio.ModelException naming the key, its value and what is accepted, if the engine does not run it
     */
    Plan plan(JsonFields fields, boolean tied);

    /**
     * What a model computes, and how far it reaches.
     *
     * @param context how long a text may be
     * @param notes on what config.json says that is ignored
     */
    record Plan(Graph graph, Context context, List<String> notes) {

        public Plan {
            notes = List.copyOf(notes);
        }
    }
}
