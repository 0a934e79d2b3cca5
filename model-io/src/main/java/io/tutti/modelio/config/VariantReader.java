package io.tutti.modelio.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.OptionalInt;

/** In what an architecture's layers differ from a plain Llama's: partly by its nature, partly by config.json. */
final class VariantReader {
    private static final int DEFAULT_WINDOW = 4096;
    private static final int DEFAULT_WINDOW_LAYERS = 28;
    private static final String FULL = "full_attention";
    private static final String SLIDING = "sliding_attention";

    private final JsonFields fields;
    private final Architecture architecture;
    private final int layers;

    private VariantReader(JsonFields fields, Architecture architecture, int layers) {
        this.fields = fields;
        this.architecture = architecture;
        this.layers = layers;
    }

    static LayerVariant read(JsonFields fields, Architecture architecture, int layers) {
        return new VariantReader(fields, architecture, layers).read();
    }

    private LayerVariant read() {
        return switch (architecture) {
            case LLAMA -> {
                boolean bias = fields.flag("attention_bias", false);
                boolean mlpBias = fields.flag("mlp_bias", false);
                yield new LayerVariant(bias, bias, mlpBias, false, noWindow());
            }
            case MISTRAL -> {
                requireNoBias("attention_bias");
                requireNoBias("mlp_bias");
                yield new LayerVariant(false, false, false, false, mistralWindow());
            }
            case QWEN2 -> {
                requireNoBias("mlp_bias");
                yield new LayerVariant(true, false, false, false, qwenWindow());
            }
            case QWEN3 -> {
                requireNoBias("mlp_bias");
                boolean bias = fields.flag("attention_bias", false);
                yield new LayerVariant(bias, bias, false, true, qwenWindow());
            }
            case BIGRAM -> LayerVariant.PLAIN;
        };
    }

    private void requireNoBias(String key) {
        if (fields.flag(key, false)) {
            throw fields.refuse(key, "false, for a " + architecture.modelType() + " has no such biases");
        }
    }

    /** A Llama has no window, though a file may carry one that it says is not in use. */
    private OptionalInt noWindow() {
        if (fields.has("sliding_window") && fields.flag("use_sliding_window", true)) {
            throw fields.refuse("sliding_window", "null (full attention)");
        }
        return byLayerTypes(OptionalInt.empty(), OptionalInt.empty());
    }

    /** A null is no window; without the key there is one. */
    private OptionalInt mistralWindow() {
        OptionalInt window = window();
        return byLayerTypes(window, window);
    }

    /** In use if the file says so, in the layers from max_window_layers on. */
    private OptionalInt qwenWindow() {
        // No layer has a negative number, so such a value is a mistake also where no window is in use.
        int from = fields.integer("max_window_layers", 0, Integer.MAX_VALUE).orElse(DEFAULT_WINDOW_LAYERS);
        if (!fields.flag("use_sliding_window", false)) {
            return byLayerTypes(OptionalInt.empty(), OptionalInt.empty());
        }
        OptionalInt window = window();
        if (window.isEmpty() || fields.has("layer_types")) {
            return byLayerTypes(window, OptionalInt.empty());
        }
        if (from > 0 && from < layers) {
            String accepted = "0 (all layers have the window) or num_hidden_layers = " + layers
                    + " and more (none has), for all layers share one graph";
            throw fields.has("max_window_layers")
                    ? fields.refuse("max_window_layers", accepted)
                    : fields.refuseDefault("max_window_layers", from, accepted);
        }
        return from == 0 ? window : OptionalInt.empty();
    }

    private OptionalInt window() {
        OptionalInt given = fields.size("sliding_window");
        return given.isPresent() || fields.object().has("sliding_window") ? given : OptionalInt.of(DEFAULT_WINDOW);
    }

    /**
     * What layer_types make of the window: all layers have it, or none.
     *
     * @param window the file's window, if it is in use
     * @param absent the result if there are no layer_types
     */
    private OptionalInt byLayerTypes(OptionalInt window, OptionalInt absent) {
        if (!fields.has("layer_types")) {
            return absent;
        }
        JsonNode types = fields.value("layer_types").orElseThrow();
        boolean sliding = window.isPresent()
                && types.isArray()
                && SLIDING.equals(types.path(0).textValue());
        String wanted = sliding ? SLIDING : FULL;
        boolean uniform = types.isArray() && types.size() == layers;
        for (JsonNode type : types) {
            uniform &= wanted.equals(type.textValue());
        }
        // Mistral's window is in use whatever layer_types say.
        if (!uniform || (architecture == Architecture.MISTRAL && sliding != window.isPresent())) {
            throw fields.refuse("layer_types", accepted(window));
        }
        return sliding ? window : OptionalInt.empty();
    }

    private String accepted(OptionalInt window) {
        String full = '"' + FULL + "\" for each of the " + layers + " layers";
        if (window.isEmpty()) {
            return full;
        }
        String all = '"' + SLIDING + "\" for each of the " + layers + " layers";
        return architecture == Architecture.MISTRAL ? all : full + ", or " + all + "; all layers share one graph";
    }
}
