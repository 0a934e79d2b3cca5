package io.tutti.engine.model;

import io.tutti.engine.graph.RopeScaling;
import io.tutti.engine.model.DecoderKeys.Defaults;
import io.tutti.modelio.config.JsonFields;
import java.util.OptionalInt;

/**
 * Phi-3: Llama whose weights of q, k and v are one tensor, and those of the gate and up projection another, with a window if
 * the file says so (Abdin et al. 2024, arXiv 2404.14219). The reference is {@code modeling_phi3.py} of Hugging Face's
 * transformers.
 */
final class Phi3 implements Architecture {

    @Override
    public String modelType() {
        return "phi3";
    }

    @Override
    public String causalLm() {
        return "Phi3ForCausalLM";
    }

    @Override
    public Plan plan(JsonFields fields, boolean tied) {
        DecoderKeys keys = DecoderKeys.read(this, fields, new Defaults(4096).withRmsNormEps(1e-5));
        DecoderKeys.requireNoBias(this, fields, "attention_bias");
        DecoderKeys.requireNoBias(this, fields, "mlp_bias");
        requireUnscaled(fields, keys);
        OptionalInt window = fields.size("sliding_window");
        int seen =
                LayerWindows.everywhere(fields, keys.numHiddenLayers(), window).applyAsInt(0);

        Decoder d = new Decoder(keys);
        return d.plan(
                tied,
                _ -> Decoder.layer(
                        d.norm("input_layernorm"),
                        d.stackedProjections(d.normed()),
                        d.rotary(),
                        d.attention(seen),
                        d.output(false),
                        d.residual(),
                        d.norm("post_attention_layernorm"),
                        d.stackedMlp(d.normed()),
                        d.residual()));
    }

    /** What a Phi-3 calls yarn or su is longrope, whose frequencies change with the length. */
    private static void requireUnscaled(JsonFields fields, DecoderKeys keys) {
        if (!keys.rope().scaling().equals(RopeScaling.NONE)) {
            String key = fields.has("rope_scaling") ? "rope_scaling" : "rope_parameters";
            throw fields.refuse(key, "null, or a rope_type of \"default\"");
        }
    }
}
