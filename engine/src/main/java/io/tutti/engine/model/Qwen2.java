package io.tutti.engine.model;

import io.tutti.engine.model.DecoderKeys.Defaults;
import io.tutti.modelio.config.JsonFields;
import java.util.function.IntUnaryOperator;

/**
 * Qwen2: Llama with biases on q, k and v, and a window in some layers if the file says so (Yang et al. 2024, arXiv
 * 2407.10671). The reference is {@code modeling_qwen2.py} of Hugging Face's transformers.
 */
final class Qwen2 implements Architecture {

    private static final int DEFAULT_WINDOW_LAYERS = 28;

    @Override
    public String modelType() {
        return "qwen2";
    }

    @Override
    public String causalLm() {
        return "Qwen2ForCausalLM";
    }

    @Override
    public Plan plan(JsonFields fields, boolean tied) {
        Defaults defaults = new Defaults(32_768).withNumKeyValueHeads(32);
        DecoderKeys keys = DecoderKeys.read(this, fields, defaults);
        DecoderKeys.requireNoBias(this, fields, "mlp_bias");
        IntUnaryOperator window = windows(fields, keys.numHiddenLayers());

        Decoder d = new Decoder(keys);
        return d.plan(
                tied,
                layer -> Decoder.layer(
                        d.norm("input_layernorm"),
                        d.projections(d.normed(), true),
                        d.rotary(),
                        d.attention(window.applyAsInt(layer)),
                        d.output(false),
                        d.residual(),
                        d.norm("post_attention_layernorm"),
                        d.mlp(d.normed(), false),
                        d.residual()));
    }

    /** In use if the file says so: where layer_types say so, else in the layers from max_window_layers on. */
    static IntUnaryOperator windows(JsonFields fields, int layers) {
        // No layer has a negative number, so such a value is a mistake also where no window is in use.
        int from = fields.integer("max_window_layers", 0, Integer.MAX_VALUE).orElse(DEFAULT_WINDOW_LAYERS);
        if (!fields.flag("use_sliding_window", false)) {
            return LayerWindows.none(fields, layers);
        }
        return LayerWindows.byType(fields, layers, LayerWindows.given(fields), layer -> layer >= from);
    }
}
