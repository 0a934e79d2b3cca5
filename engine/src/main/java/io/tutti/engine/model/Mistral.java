package io.tutti.engine.model;

import io.tutti.engine.model.DecoderKeys.Defaults;
import io.tutti.modelio.config.JsonFields;
import java.util.function.IntUnaryOperator;

/**
 * Mistral: Llama with a sliding window (Jiang et al. 2023, arXiv 2310.06825). The reference is {@code modeling_mistral.py} of
 * Hugging Face's transformers.
 */
final class Mistral implements Architecture {

    @Override
    public String modelType() {
        return "mistral";
    }

    @Override
    public String causalLm() {
        return "MistralForCausalLM";
    }

    @Override
    public Plan plan(JsonFields fields, boolean tied) {
        Defaults defaults = new Defaults(131_072).withNumKeyValueHeads(8);
        DecoderKeys keys = DecoderKeys.read(this, fields, defaults);
        DecoderKeys.requireNoBias(this, fields, "attention_bias");
        DecoderKeys.requireNoBias(this, fields, "mlp_bias");
        // The window is in use whatever layer_types say.
        IntUnaryOperator window = LayerWindows.everywhere(fields, keys.numHiddenLayers(), LayerWindows.given(fields));

        Decoder d = new Decoder(keys);
        return d.plan(
                tied,
                layer -> Decoder.layer(
                        d.norm("input_layernorm"),
                        d.projections(d.normed(), false),
                        d.rotary(),
                        d.attention(window.applyAsInt(layer)),
                        d.output(false),
                        d.residual(),
                        d.norm("post_attention_layernorm"),
                        d.mlp(d.normed(), false),
                        d.residual()));
    }
}
