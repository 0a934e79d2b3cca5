package io.tutti.engine.model;

import io.tutti.engine.model.DecoderKeys.Defaults;
import io.tutti.modelio.config.JsonFields;
import java.util.function.IntUnaryOperator;

/**
 * Llama: a decoder of pre-norm layers with rotary positions, grouped-query attention and a gated MLP (Touvron et al. 2023,
 * arXiv 2302.13971 and 2307.09288). The reference is {@code modeling_llama.py} of Hugging Face's transformers.
 */
final class Llama implements Architecture {

    @Override
    public String modelType() {
        return "llama";
    }

    @Override
    public String causalLm() {
        return "LlamaForCausalLM";
    }

    @Override
    public Plan plan(JsonFields fields, boolean tied) {
        DecoderKeys keys = DecoderKeys.read(this, fields, new Defaults(2048));
        boolean bias = fields.flag("attention_bias", false);
        boolean mlpBias = fields.flag("mlp_bias", false);
        IntUnaryOperator window = noWindow(fields, keys.numHiddenLayers());

        Decoder d = new Decoder(keys);
        return d.plan(
                tied,
                layer -> Decoder.layer(
                        d.norm("input_layernorm"),
                        d.projections(d.normed(), bias),
                        d.rotary(),
                        d.attention(window.applyAsInt(layer)),
                        d.output(bias),
                        d.residual(),
                        d.norm("post_attention_layernorm"),
                        d.mlp(d.normed(), mlpBias),
                        d.residual()));
    }

    /** There is none, though a file may carry one that it says is not in use. */
    private static IntUnaryOperator noWindow(JsonFields fields, int layers) {
        if (fields.has("sliding_window") && fields.flag("use_sliding_window", true)) {
            throw fields.refuse("sliding_window", "null (full attention)");
        }
        return LayerWindows.none(fields, layers);
    }
}
