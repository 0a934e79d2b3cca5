package io.tutti.modelio.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.tutti.modelio.ModelException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * From config.json's fields to a {@link ModelConfig}. Keys that would change the result in a way that the engine does
 * not compute are refused; keys that do not matter to inference are passed over.
 */
final class ConfigReader {
    private static final int DEFAULT_CONTEXT = 2048;
    private static final double DEFAULT_THETA = 10_000;
    private static final double DEFAULT_EPS = 1e-6;
    /** No model is nearly as deep; a bound keeps a broken file from building a graph without end. */
    private static final int MOST_LAYERS = 65_536;

    private static final Set<String> STORED_TYPES = Set.of("float32", "float16", "bfloat16", "auto");
    private static final Set<String> SILU = Set.of("silu", "swish");
    private static final String ONLY_DEFAULT_ROPE = "rope_type \"default\" (unscaled rotary positions), or null";

    private ConfigReader() {}

    static ModelConfig read(JsonFields fields, boolean hasTokenizerFile) {
        Architecture architecture = architecture(fields);
        TokenizerKind tokenizer = tokenizer(fields, hasTokenizerFile);
        return switch (architecture) {
            case BIGRAM -> bigram(fields, tokenizer);
            case LLAMA -> llama(fields, tokenizer);
        };
    }

    private static Architecture architecture(JsonFields fields) {
        Optional<String> ours = fields.text("tl_arch", "\"llama\" or \"bigram\"");
        if (ours.isPresent()) {
            Architecture architecture = switch (ours.get()) {
                case "llama" -> Architecture.LLAMA;
                case "bigram" -> Architecture.BIGRAM;
                default -> throw fields.refuse("tl_arch", "\"llama\" or \"bigram\"");
            };
            requireModelType(fields, ours.get());
            return architecture;
        }
        if (!fields.has("model_type")) {
            throw fields.missing("model_type");
        }
        requireModelType(fields, "llama");
        return Architecture.LLAMA;
    }

    /** Refuses a model_type that is there and another one. */
    private static void requireModelType(JsonFields fields, String wanted) {
        String accepted = '"' + wanted + '"';
        if (!fields.text("model_type", accepted).orElse(wanted).equals(wanted)) {
            throw fields.refuse("model_type", accepted);
        }
    }

    private static TokenizerKind tokenizer(JsonFields fields, boolean hasTokenizerFile) {
        String accepted = "\"byte\", \"hf\" (a tokenizer.json) or \"none\"";
        Optional<String> named = fields.text("tl_tokenizer", accepted);
        if (named.isEmpty()) {
            if (fields.has("tl_arch")) {
                throw fields.missing("tl_tokenizer");
            }
            return hasTokenizerFile ? TokenizerKind.HUGGING_FACE : TokenizerKind.NONE;
        }
        return switch (named.get()) {
            case "byte" -> TokenizerKind.BYTE;
            case "hf" -> TokenizerKind.HUGGING_FACE;
            case "none" -> TokenizerKind.NONE;
            default -> throw fields.refuse("tl_tokenizer", accepted);
        };
    }

    private static ModelConfig bigram(JsonFields fields, TokenizerKind tokenizer) {
        int vocabSize = fields.requiredSize("vocab_size");
        requireProduct(fields, "vocab_size * vocab_size", vocabSize, vocabSize);
        int context = fields.size("max_position_embeddings").orElse(DEFAULT_CONTEXT);
        List<Integer> eos = fields.tokenIds("eos_token_id");
        return new ModelConfig(
                Architecture.BIGRAM,
                tokenizer,
                vocabSize,
                0,
                0,
                0,
                0,
                0,
                0,
                context,
                0,
                0,
                RopeScaling.NONE,
                LayerVariant.PLAIN,
                false,
                eos,
                bos(fields));
    }

    private static ModelConfig llama(JsonFields fields, TokenizerKind tokenizer) {
        refuseWhatWouldChangeTheResult(fields);
        int hidden = fields.requiredSize("hidden_size");
        int intermediate = fields.requiredSize("intermediate_size");
        int layers = fields.integer("num_hidden_layers", 1, MOST_LAYERS)
                .orElseThrow(() -> fields.missing("num_hidden_layers"));
        int heads = fields.requiredSize("num_attention_heads");
        int vocabSize = fields.requiredSize("vocab_size");
        int keyValueHeads = keyValueHeads(fields, heads);
        int headDim = headDim(fields, hidden, heads);
        int context = fields.size("max_position_embeddings").orElse(DEFAULT_CONTEXT);

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
                context);
        return new ModelConfig(
                Architecture.LLAMA,
                tokenizer,
                vocabSize,
                hidden,
                intermediate,
                layers,
                heads,
                keyValueHeads,
                headDim,
                context,
                eps(fields),
                ropeTheta(fields),
                RopeScaling.NONE,
                LayerVariant.PLAIN,
                fields.flag("tie_word_embeddings", false),
                fields.tokenIds("eos_token_id"),
                bos(fields));
    }

    private static void refuseWhatWouldChangeTheResult(JsonFields fields) {
        for (String biases : List.of("attention_bias", "mlp_bias")) {
            if (fields.flag(biases, false)) {
                throw fields.refuse(biases, "false (layers without biases)");
            }
        }
        if (!SILU.contains(fields.text("hidden_act", "\"silu\"").orElse("silu"))) {
            throw fields.refuse("hidden_act", "\"silu\"");
        }
        if (fields.has("sliding_window") && fields.flag("use_sliding_window", true)) {
            throw fields.refuse("sliding_window", "null (full attention)");
        }
        if (fields.has("quantization_config")) {
            throw fields.refuse("quantization_config", "null (F32, F16 or BF16 weights, or int4 of tutti quantize)");
        }
        fields.value("layer_types").ifPresent(types -> requireFullAttention(fields, types));
        fields.value("architectures").ifPresent(names -> requireCausalLm(fields, names));
        for (String key : List.of("dtype", "torch_dtype")) {
            String accepted = "\"float32\", \"float16\" or \"bfloat16\"";
            String type = fields.text(key, accepted).orElse("auto");
            if (!STORED_TYPES.contains(type.startsWith("torch.") ? type.substring("torch.".length()) : type)) {
                throw fields.refuse(key, accepted);
            }
        }
    }

    private static void requireFullAttention(JsonFields fields, JsonNode types) {
        if (!types.isArray()) {
            throw fields.refuse("layer_types", "a list of \"full_attention\"");
        }
        for (JsonNode type : types) {
            if (!"full_attention".equals(type.textValue())) {
                throw fields.refuse("layer_types", "a list of \"full_attention\"");
            }
        }
    }

    private static void requireCausalLm(JsonFields fields, JsonNode names) {
        if (names.isArray()) {
            for (JsonNode name : names) {
                if ("LlamaForCausalLM".equals(name.textValue())) {
                    return;
                }
            }
            if (names.isEmpty()) {
                return;
            }
        }
        throw fields.refuse("architectures", "[\"LlamaForCausalLM\"]");
    }

    private static int keyValueHeads(JsonFields fields, int heads) {
        int keyValueHeads = fields.size("num_key_value_heads").orElse(heads);
        if (heads % keyValueHeads != 0) {
            throw fields.refuse("num_key_value_heads", "a divisor of num_attention_heads = " + heads);
        }
        return keyValueHeads;
    }

    private static int headDim(JsonFields fields, int hidden, int heads) {
        OptionalInt given = fields.size("head_dim");
        if (given.isEmpty() && hidden % heads != 0) {
            throw fields.refuse(
                    "num_attention_heads", "a divisor of hidden_size = " + hidden + " where head_dim is not given");
        }
        int headDim = given.orElse(hidden / heads);
        if (headDim % 2 != 0) {
            throw ModelException.of(
                    fields.file(),
                    "head_dim = " + headDim + (given.isEmpty() ? " (hidden_size / num_attention_heads)" : "")
                            + " is not supported; accepted: an even number, since rotary positions turn pairs");
        }
        return headDim;
    }

    private static float eps(JsonFields fields) {
        String accepted = "a positive number that f32 can hold";
        float eps = (float) (double) fields.number("rms_norm_eps", accepted).orElse(DEFAULT_EPS);
        if (!(eps > 0) || Float.isInfinite(eps)) {
            throw fields.refuse("rms_norm_eps", accepted);
        }
        return eps;
    }

    /**
     * rope_theta, from wherever the file's version of transformers wrote it: at the top (4), in rope_parameters (5).
     * Every other kind of rotary position is refused.
     */
    private static double ropeTheta(JsonFields fields) {
        requireWholeRotary(fields);
        Optional<Double> theta = theta(fields);
        for (String key : List.of("rope_scaling", "rope_parameters")) {
            Optional<JsonFields> rope = fields.fields(key, ONLY_DEFAULT_ROPE);
            if (rope.isEmpty()) {
                continue;
            }
            requireDefaultRope(fields, key, rope.get());
            Optional<Double> inner = theta(rope.get());
            if (theta.isPresent() && inner.isPresent() && !theta.equals(inner)) {
                throw rope.get().refuse("rope_theta", "the other rope_theta of the file, " + theta.get());
            }
            theta = theta.or(() -> inner);
        }
        return theta.orElse(DEFAULT_THETA);
    }

    private static void requireDefaultRope(JsonFields fields, String key, JsonFields rope) {
        requireWholeRotary(rope);
        for (String typeKey : List.of("rope_type", "type")) {
            if (!rope.text(typeKey, "\"default\"").orElse("default").equals("default")) {
                throw fields.refuse(key, ONLY_DEFAULT_ROPE);
            }
        }
        if (!rope.has("rope_type") && !rope.has("type") && rope.has("factor")) {
            throw fields.refuse(key, ONLY_DEFAULT_ROPE);
        }
        // transformers 5 nests one object for each kind of attention layer where these differ.
        if (rope.object().properties().stream()
                .anyMatch(entry -> entry.getValue().isObject())) {
            throw fields.refuse(key, "one set of parameters for all layers");
        }
    }

    private static void requireWholeRotary(JsonFields fields) {
        if (fields.number("partial_rotary_factor", "1").orElse(1.0) != 1.0) {
            throw fields.refuse("partial_rotary_factor", "1");
        }
    }

    private static Optional<Double> theta(JsonFields fields) {
        String accepted = "a number from 1 to 1e30";
        Optional<Double> theta = fields.number("rope_theta", accepted);
        theta.filter(value -> !(value >= 1 && value <= 1e30)).ifPresent(_ -> {
            throw fields.refuse("rope_theta", accepted);
        });
        return theta;
    }

    private static OptionalInt bos(JsonFields fields) {
        List<Integer> ids = fields.tokenIds("bos_token_id");
        return ids.isEmpty() ? OptionalInt.empty() : OptionalInt.of(ids.getFirst());
    }

    private static void requireInt(JsonFields fields, String what, long product) {
        if (product > Integer.MAX_VALUE) {
            throw ModelException.of(
                    fields.file(),
                    what + " = " + product + " is not supported; accepted: at most " + Integer.MAX_VALUE);
        }
    }

    /** Every size in bytes that is computed later stays below 2^63. */
    private static void requireProduct(JsonFields fields, String what, int... factors) {
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
