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
    private static final int BIGRAM_CONTEXT = 2048;
    private static final double DEFAULT_EPS = 1e-6;
    /** No model is nearly as deep; a bound keeps a broken file from building a graph without end. */
    private static final int MOST_LAYERS = 65_536;

    private static final Set<String> STORED_TYPES = Set.of("float32", "float16", "bfloat16", "auto");
    private static final Set<String> SILU = Set.of("silu", "swish");

    private ConfigReader() {}

    static ModelConfig read(JsonFields fields, boolean hasTokenizerFile) {
        Architecture architecture = architecture(fields);
        TokenizerKind tokenizer = tokenizer(fields, hasTokenizerFile);
        return switch (architecture) {
            case BIGRAM -> bigram(fields, tokenizer);
            case LLAMA, MISTRAL, QWEN2, QWEN3 -> decoder(fields, architecture, tokenizer);
        };
    }

    /**
     * What transformers takes for sizes that a file leaves out.
     *
     * @param keyValueHeads empty: as many as heads
     * @param headDim empty: hidden_size / num_attention_heads
     */
    private record Defaults(int context, OptionalInt keyValueHeads, OptionalInt headDim) {
        static Defaults of(Architecture architecture) {
            OptionalInt none = OptionalInt.empty();
            return switch (architecture) {
                case LLAMA -> new Defaults(2048, none, none);
                case MISTRAL -> new Defaults(131_072, OptionalInt.of(8), none);
                case QWEN2 -> new Defaults(32_768, OptionalInt.of(32), none);
                case QWEN3 -> new Defaults(32_768, OptionalInt.of(32), OptionalInt.of(128));
                case BIGRAM -> new Defaults(BIGRAM_CONTEXT, none, none);
            };
        }
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
        String modelType =
                fields.text("model_type", Architecture.modelTypes()).orElseThrow(() -> fields.missing("model_type"));
        return Architecture.of(modelType).orElseThrow(() -> fields.refuse("model_type", Architecture.modelTypes()));
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
        int context = fields.size("max_position_embeddings")
                .orElse(Defaults.of(Architecture.BIGRAM).context());
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
                context,
                0,
                0,
                RopeScaling.NONE,
                LayerVariant.PLAIN,
                false,
                fields.tokenIds("eos_token_id"),
                ModelConfig.FILE_NAME,
                bos(fields),
                List.of());
    }

    private static ModelConfig decoder(JsonFields fields, Architecture architecture, TokenizerKind tokenizer) {
        refuseWhatWouldChangeTheResult(fields, architecture);
        Defaults defaults = Defaults.of(architecture);
        int hidden = fields.requiredSize("hidden_size");
        int intermediate = fields.requiredSize("intermediate_size");
        int layers = fields.integer("num_hidden_layers", 1, MOST_LAYERS)
                .orElseThrow(() -> fields.missing("num_hidden_layers"));
        int heads = fields.requiredSize("num_attention_heads");
        int vocabSize = fields.requiredSize("vocab_size");
        int keyValueHeads = keyValueHeads(fields, defaults, heads);
        int headDim = headDim(fields, defaults, hidden, heads);
        int maxPositionEmbeddings = fields.size("max_position_embeddings").orElse(defaults.context());
        RopeReader.Rope rope = RopeReader.read(fields, maxPositionEmbeddings);

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
                rope.context());
        return new ModelConfig(
                architecture,
                tokenizer,
                vocabSize,
                hidden,
                intermediate,
                layers,
                heads,
                keyValueHeads,
                headDim,
                maxPositionEmbeddings,
                rope.context(),
                eps(fields),
                rope.theta(),
                rope.scaling(),
                VariantReader.read(fields, architecture, layers),
                fields.flag("tie_word_embeddings", false),
                fields.tokenIds("eos_token_id"),
                ModelConfig.FILE_NAME,
                bos(fields),
                rope.notes());
    }

    private static void refuseWhatWouldChangeTheResult(JsonFields fields, Architecture architecture) {
        if (!SILU.contains(fields.text("hidden_act", "\"silu\"").orElse("silu"))) {
            throw fields.refuse("hidden_act", "\"silu\"");
        }
        if (fields.has("quantization_config")) {
            throw fields.refuse("quantization_config", "null (F32, F16 or BF16 weights, or int4 of tutti quantize)");
        }
        if (fields.value("per_layer_config")
                .filter(layers -> !(layers.isContainerNode() && layers.isEmpty()))
                .isPresent()) {
            throw fields.refuse("per_layer_config", "null, for all layers share one graph");
        }
        fields.value("architectures").ifPresent(names -> requireArchitecture(fields, architecture, names));
        for (String key : List.of("dtype", "torch_dtype")) {
            String accepted = "\"float32\", \"float16\" or \"bfloat16\"";
            String type = fields.text(key, accepted).orElse("auto");
            if (!STORED_TYPES.contains(type.startsWith("torch.") ? type.substring("torch.".length()) : type)) {
                throw fields.refuse(key, accepted);
            }
        }
    }

    private static void requireArchitecture(JsonFields fields, Architecture architecture, JsonNode names) {
        if (names.isArray()) {
            for (JsonNode name : names) {
                if (architecture.causalLm().equals(name.textValue())
                        || architecture.base().equals(name.textValue())) {
                    return;
                }
            }
            if (names.isEmpty()) {
                return;
            }
        }
        throw fields.refuse("architectures", "[\"" + architecture.causalLm() + "\"]");
    }

    private static int keyValueHeads(JsonFields fields, Defaults defaults, int heads) {
        String key = "num_key_value_heads";
        OptionalInt given = fields.size(key);
        int absent = fields.object().has(key) ? heads : defaults.keyValueHeads().orElse(heads);
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

    private static float eps(JsonFields fields) {
        String accepted = "a positive number that f32 can hold";
        float eps = (float) (double) fields.number("rms_norm_eps", accepted).orElse(DEFAULT_EPS);
        if (!(eps > 0) || Float.isInfinite(eps)) {
            throw fields.refuse("rms_norm_eps", accepted);
        }
        return eps;
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
