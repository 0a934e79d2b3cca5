package io.tutti.modelio.config;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The model families that Tutti runs. */
public enum Architecture {
    /** RMSNorm, rotary positions, grouped-query attention, SwiGLU. */
    LLAMA("llama", "LlamaForCausalLM"),
    /** Llama with a sliding window. */
    MISTRAL("mistral", "MistralForCausalLM"),
    /** Llama with biases on q, k and v. */
    QWEN2("qwen2", "Qwen2ForCausalLM"),
    /** Llama with norms of heads. */
    QWEN3("qwen3", "Qwen3ForCausalLM"),
    /** A table of logits, one row for each previous token. */
    BIGRAM("bigram", "");

    private final String modelType;
    private final String causalLm;

    Architecture(String modelType, String causalLm) {
        this.modelType = modelType;
        this.causalLm = causalLm;
    }

    /** config.json's model_type. */
    public String modelType() {
        return modelType;
    }

    /** The class of Hugging Face's that config.json's architectures name; none for a bigram. */
    String causalLm() {
        return causalLm;
    }

    /** The same without an output projection, which the embedding stands for if the two are tied. */
    String base() {
        return causalLm.replace("ForCausalLM", "Model");
    }

    /** Whether it has layers, attention and a cache. */
    public boolean hasLayers() {
        return this != BIGRAM;
    }

    /** Those that a directory of Hugging Face's may hold. */
    private static Stream<Architecture> huggingFace() {
        return Arrays.stream(values()).filter(Architecture::hasLayers);
    }

    /** The one of this model_type in a directory of Hugging Face's. */
    static Optional<Architecture> of(String modelType) {
        return huggingFace().filter(a -> a.modelType.equals(modelType)).findFirst();
    }

    /** The accepted values of model_type. */
    static String modelTypes() {
        List<String> quoted = huggingFace().map(a -> '"' + a.modelType + '"').toList();
        return quoted.stream().limit(quoted.size() - 1).collect(Collectors.joining(", ")) + " or " + quoted.getLast();
    }
}
