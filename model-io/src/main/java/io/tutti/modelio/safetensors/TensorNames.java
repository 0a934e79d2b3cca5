package io.tutti.modelio.safetensors;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The names that tensors have in a model with an output projection, such as LlamaForCausalLM. In files of a model without
 * one, such as LlamaModel, they lack the prefix {@code model.}. As transformers does, this adds the prefix where it is missing
 * and removes it from {@code lm_head.weight}.
 */
final class TensorNames {
    private static final String PREFIX = "model.";
    private static final String OUTPUT_PROJECTION = "lm_head.weight";

    private TensorNames() {}

    /** {@code tensors} under a causal model's names, in the same order. A name that is there already stays as it is. */
    static <T> Map<String, T> causal(Map<String, T> tensors) {
        Map<String, T> named = new LinkedHashMap<>();
        tensors.forEach((name, tensor) -> {
            String causal = causal(name);
            named.put(tensors.containsKey(causal) ? name : causal, tensor);
        });
        return named;
    }

    private static String causal(String name) {
        if (name.equals(PREFIX + OUTPUT_PROJECTION)) {
            return OUTPUT_PROJECTION;
        }
        boolean bare = name.startsWith("layers.") || name.startsWith("embed_tokens.") || name.startsWith("norm.");
        return bare ? PREFIX + name : name;
    }
}
