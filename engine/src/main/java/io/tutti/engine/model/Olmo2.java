package io.tutti.engine.model;

import io.tutti.engine.graph.Op.Attention;
import io.tutti.engine.model.DecoderKeys.Defaults;
import io.tutti.modelio.config.JsonFields;

/**
 * OLMo 2: a decoder whose norms come after attention and MLP, not before, and that normalizes all queries of a token together,
 * and all its keys (OLMo team 2025, arXiv 2501.00656). The reference is {@code modeling_olmo2.py} of Hugging Face's
 * transformers.
 */
final class Olmo2 implements Architecture {

    @Override
    public String modelType() {
        return "olmo2";
    }

    @Override
    public String causalLm() {
        return "Olmo2ForCausalLM";
    }

    @Override
    public Plan plan(JsonFields fields, boolean tied) {
        DecoderKeys keys = DecoderKeys.read(this, fields, new Defaults(2048).withRmsNormEps(1e-5));
        DecoderKeys.requireNoBias(this, fields, "mlp_bias");
        boolean bias = fields.flag("attention_bias", false);

        Decoder d = new Decoder(keys);
        return d.plan(
                tied,
                _ -> Decoder.layer(
                        d.projections(d.stream(), bias),
                        d.wholeNorms(),
                        d.rotary(),
                        d.attention(Attention.WHOLE_CONTEXT),
                        d.output(bias),
                        d.outputNorm("post_attention_layernorm"),
                        d.residual(),
                        d.mlp(d.stream(), false),
                        d.outputNorm("post_feedforward_layernorm"),
                        d.residual()));
    }
}
