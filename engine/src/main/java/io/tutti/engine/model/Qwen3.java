package io.tutti.engine.model;

import io.tutti.engine.model.DecoderKeys.Defaults;
import io.tutti.modelio.config.JsonFields;
import java.util.function.IntUnaryOperator;

/**
 * Qwen3: Llama with a norm of each head of queries and keys, and Qwen2's windows (Yang et al. 2025, arXiv 2505.09388). The
 * reference is {@code modeling_qwen3.py} of Hugging Face's transformers.
 */
final class Qwen3 implements Architecture {

    @Override
    public String modelType() {
        return "qwen3";
    }

    @Override
    public String causalLm() {
        return "Qwen3ForCausalLM";
    }

    @Override
    public Plan plan(JsonFields fields, boolean tied) {
        Defaults defaults = new Defaults(32_768).withNumKeyValueHeads(32).withHeadDim(128);
        DecoderKeys keys = DecoderKeys.read(this, fields, defaults);
        DecoderKeys.requireNoBias(this, fields, "mlp_bias");
        boolean bias = fields.flag("attention_bias", false);
        IntUnaryOperator window = Qwen2.windows(fields, keys.numHiddenLayers());

        Decoder d = new Decoder(keys);
        return d.plan(
                tied,
                layer -> Decoder.layer(
                        d.norm("input_layernorm"),
                        d.projections(d.normed(), bias),
                        d.headNorms(),
                        d.rotary(),
                        d.attention(window.applyAsInt(layer)),
                        d.output(bias),
                        d.residual(),
                        d.norm("post_attention_layernorm"),
                        d.mlp(d.normed(), false),
                        d.residual()));
    }
}
