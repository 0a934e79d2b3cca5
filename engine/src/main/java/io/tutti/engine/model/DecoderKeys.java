package io.tutti.engine.model;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.JsonFields;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The keys of config.json that decoders have in common. The names are config.json's own.
 *
 * @param vocabSize rows of the embedding, and logits a position
 * @param hiddenSize width of the residual stream
 * @param intermediateSize width of the MLP
 * @param numKeyValueHeads divides {@code numAttentionHeads}
 * @param headDim even; need not be {@code hiddenSize / numAttentionHeads}
 * @param rmsNormEps the f32 of the file's value
 * @param rope the rotary positions
 */
public record DecoderKeys(
        int vocabSize,
        int hiddenSize,
        int intermediateSize,
        int numHiddenLayers,
        int numAttentionHeads,
        int numKeyValueHeads,
        int headDim,
        float rmsNormEps,
        Rotary rope) {

    /** No model is nearly as deep; a bound keeps a broken file from building a graph without end. */
    private static final int MAX_LAYERS = 65_536;

    private static final Set<String> STORED_TYPES = Set.of("float32", "float16", "bfloat16", "auto");
    private static final Set<String> SILU = Set.of("silu", "swish");

    /**
     * What transformers takes for sizes that a file leaves out.
     *
     * @param maxPositionEmbeddings positions
     * @param numKeyValueHeads empty: as many as heads
     * @param headDim empty: hidden_size / num_attention_heads
     * @param rmsNormEps of the norms
     * @param ropeTheta the base of the rotary positions
     */
    record Defaults(
            int maxPositionEmbeddings,
            OptionalInt numKeyValueHeads,
            OptionalInt headDim,
            double rmsNormEps,
            double ropeTheta) {

        Defaults(int maxPositionEmbeddings) {
            this(maxPositionEmbeddings, OptionalInt.empty(), OptionalInt.empty(), 1e-6, 10_000);
        }

        Defaults withNumKeyValueHeads(int heads) {
            return new Defaults(maxPositionEmbeddings, OptionalInt.of(heads), headDim, rmsNormEps, ropeTheta);
        }

        Defaults withHeadDim(int size) {
            return new Defaults(maxPositionEmbeddings, numKeyValueHeads, OptionalInt.of(size), rmsNormEps, ropeTheta);
        }

        Defaults withRmsNormEps(double eps) {
            return new Defaults(maxPositionEmbeddings, numKeyValueHeads, headDim, eps, ropeTheta);
        }

        Defaults withRopeTheta(double theta) {
            return new Defaults(maxPositionEmbeddings, numKeyValueHeads, headDim, rmsNormEps, theta);
        }
    }

    /**
     * Reads them, and refuses what no decoder of ours computes.
     *
     * @throws ModelException if a key is missing, impossible or not supported
     */
    static DecoderKeys read(Architecture architecture, JsonFields fields, Defaults defaults) {
        refuseWhatWouldChangeTheResult(architecture, fields);
        int hidden = fields.requiredSize("hidden_size");
        int intermediate = fields.requiredSize("intermediate_size");
        int layers = fields.integer("num_hidden_layers", 1, MAX_LAYERS)
                .orElseThrow(() -> fields.missing("num_hidden_layers"));
        int heads = fields.requiredSize("num_attention_heads");
        int vocabSize = fields.requiredSize("vocab_size");
        int keyValueHeads = keyValueHeads(fields, defaults, heads);
        int headDim = headDim(fields, defaults, hidden, heads);
        int maxPositionEmbeddings = fields.size("max_position_embeddings").orElse(defaults.maxPositionEmbeddings());
        Rotary rope = RopeReader.read(fields, maxPositionEmbeddings, defaults.ropeTheta());

        requireInt(fields, "num_attention_heads * head_dim", (long) heads * headDim);
        requireProduct(fields, "vocab_size * hidden_size", vocabSize, hidden);
        requireProduct(fields, "intermediate_size * hidden_size", intermediate, hidden);
        requireProduct(fields, "num_attention_heads * head_dim * hidden_size", heads, headDim, hidden);
        requireProduct(
                fields,
                "num_hidden_layers * num_key_value_heads * head_dim * max_position_embeddings",
                layers,
                keyValueHeads,
                headDim,
                rope.context().positions());
        return new DecoderKeys(
                vocabSize,
                hidden,
                intermediate,
                layers,
                heads,
                keyValueHeads,
                headDim,
                eps(fields, defaults.rmsNormEps()),
                rope);
    }

    private static void refuseWhatWouldChangeTheResult(Architecture architecture, JsonFields fields) {
        if (!SILU.contains(fields.text("hidden_act", "\"silu\"").orElse("silu"))) {
            throw fields.refuse("hidden_act", "\"silu\"");
        }
        if (fields.has("quantization_config")) {
            throw fields.refuse("quantization_config", "null (F32, F16 or BF16 weights, or int4 of tutti quantize)");
        }
        if (fields.has("per_layer_config") && !fields.holdsNothing("per_layer_config")) {
            throw fields.refuse("per_layer_config", "null, because no layer has keys of its own");
        }
        requireArchitecture(architecture, fields);
        for (String key : List.of("dtype", "torch_dtype")) {
            String accepted = "\"float32\", \"float16\" or \"bfloat16\"";
            String type = fields.text(key, accepted).orElse("auto");
            if (!STORED_TYPES.contains(type.startsWith("torch.") ? type.substring("torch.".length()) : type)) {
                throw fields.refuse(key, accepted);
            }
        }
    }

    /** Of several classes one must fit, or the same without an output projection. */
    private static void requireArchitecture(Architecture architecture, JsonFields fields) {
        String key = "architectures";
        String causalLm = architecture.causalLm();
        String accepted = "[\"" + causalLm + "\"]";
        List<String> fitting = List.of(causalLm, causalLm.replace("ForCausalLM", "Model"));
        boolean fits = fields.texts(key, accepted)
                .filter(names -> !names.isEmpty())
                .map(names -> names.stream().anyMatch(fitting::contains))
                .orElse(true);
        if (!fits) {
            throw fields.refuse(key, accepted);
        }
    }

    /** Refuses biases where the architecture has none. */
    static void requireNoBias(Architecture architecture, JsonFields fields, String key) {
        if (fields.flag(key, false)) {
            throw fields.refuse(
                    key, "false, because model_type \"" + architecture.modelType() + "\" has no such biases");
        }
    }

    private static int keyValueHeads(JsonFields fields, Defaults defaults, int heads) {
        String key = "num_key_value_heads";
        OptionalInt given = fields.size(key);
        int absent = fields.names(key) ? heads : defaults.numKeyValueHeads().orElse(heads);
        int keyValueHeads = given.orElse(absent);
        if (heads % keyValueHeads != 0) {
            String accepted = "a divisor of num_attention_heads = " + heads;
            throw given.isPresent() ? fields.refuse(key, accepted) : fields.refuseDefault(key, absent, accepted);
        }
        return keyValueHeads;
    }

    private static int headDim(JsonFields fields, Defaults defaults, int hidden, int heads) {
        OptionalInt given = fields.size("head_dim");
        OptionalInt known = given.isPresent() ? given : defaults.headDim();
        if (known.isEmpty() && hidden % heads != 0) {
            throw fields.refuse(
                    "num_attention_heads", "a divisor of hidden_size = " + hidden + " where head_dim is not given");
        }
        int headDim = known.orElse(hidden / heads);
        if (headDim % 2 != 0) {
            throw ModelException.of(
                    fields.file(),
                    "head_dim = " + headDim + (known.isEmpty() ? " (hidden_size / num_attention_heads)" : "")
                            + " is not supported; accepted: an even number, since rotary positions turn pairs");
        }
        return headDim;
    }

    private static float eps(JsonFields fields, double absent) {
        String accepted = "a positive number that f32 can hold";
        float eps = (float) (double) fields.number("rms_norm_eps", accepted).orElse(absent);
        if (!(eps > 0) || Float.isInfinite(eps)) {
            throw fields.refuse("rms_norm_eps", accepted);
        }
        return eps;
    }

    private static void requireInt(JsonFields fields, String what, long product) {
        if (product > Integer.MAX_VALUE) {
            throw ModelException.of(
                    fields.file(),
                    what + " = " + product + " is not supported; accepted: at most " + Integer.MAX_VALUE);
        }
    }

    /** Every size in bytes that is computed later stays below 2^63. */
    static void requireProduct(JsonFields fields, String what, int... factors) {
        long most = Long.MAX_VALUE / (2 * Float.BYTES);
        long product = 1;
        for (int factor : factors) {
            if (product > most / factor) {
                throw ModelException.of(fields.file(), what + " is not supported: its bytes overflow 64 bits");
            }
            product *= factor;
        }
    }
}
