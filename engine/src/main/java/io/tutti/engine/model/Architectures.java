package io.tutti.engine.model;

import io.tutti.modelio.config.JsonFields;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The architectures that Tutti runs. */
final class Architectures {

    /** Those that a directory of Hugging Face's may hold. */
    private static final List<Architecture> HUGGING_FACE =
            List.of(new Llama(), new Mistral(), new Olmo2(), new Phi3(), new Qwen2(), new Qwen3(), new SmolLm3());

    /** Those that Tutti's own key may name. */
    private static final List<Architecture> OURS = List.of(new Llama(), new Bigram());

    private Architectures() {}

    /**
     * The architecture that a config.json names: by Tutti's own key tl_arch, else by model_type.
     *
     * @throws io.tutti.modelio.ModelException if it names none that Tutti runs
     */
    static Architecture of(JsonFields fields) {
        return find(fields, "tl_arch", OURS)
                .or(() -> find(fields, "model_type", HUGGING_FACE))
                .orElseThrow(() -> fields.missing("model_type"));
    }

    private static Optional<Architecture> find(JsonFields fields, String key, List<Architecture> known) {
        String accepted = accepted(known);
        return fields.text(key, accepted)
                .map(name -> known.stream()
                        .filter(architecture -> architecture.modelType().equals(name))
                        .findFirst()
                        .orElseThrow(() -> fields.refuse(key, accepted)));
    }

    /** {@code "a", "b" or "c"}. */
    private static String accepted(List<Architecture> known) {
        List<String> quoted = known.stream()
                .map(architecture -> '"' + architecture.modelType() + '"')
                .toList();
        return quoted.stream().limit(quoted.size() - 1).collect(Collectors.joining(", ")) + " or " + quoted.getLast();
    }
}
