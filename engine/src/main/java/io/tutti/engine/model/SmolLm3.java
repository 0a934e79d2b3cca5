package io.tutti.engine.model;

import io.tutti.engine.model.DecoderKeys.Defaults;
import io.tutti.modelio.config.JsonFields;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;

/**
 * SmolLM3: Llama without rotary positions in every fourth layer (Yang et al. 2025, arXiv 2501.18795, call it RNoPE). The
 * reference is {@code modeling_smollm3.py} of Hugging Face's transformers.
 */
final class SmolLm3 implements Architecture {

    private static final int DEFAULT_INTERVAL = 4;

    @Override
    public String modelType() {
        return "smollm3";
    }

    @Override
    public String causalLm() {
        return "SmolLM3ForCausalLM";
    }

    @Override
    public boolean isTied(JsonFields fields) {
        return fields.flag("tie_word_embeddings", true);
    }

    @Override
    public Plan plan(JsonFields fields, boolean tied) {
        Defaults defaults = new Defaults(32_768).withNumKeyValueHeads(4).withRopeTheta(2e6);
        DecoderKeys keys = DecoderKeys.read(this, fields, defaults);
        boolean bias = fields.flag("attention_bias", false);
        boolean mlpBias = fields.flag("mlp_bias", false);
        IntPredicate rotates = rotates(fields, keys.numHiddenLayers());
        IntUnaryOperator window = windows(fields, keys.numHiddenLayers(), rotates);

        Decoder d = new Decoder(keys);
        return d.plan(
                tied,
                layer -> Decoder.layer(
                        d.norm("input_layernorm"),
                        d.projections(d.normed(), bias),
                        rotates.test(layer) ? d.rotary() : List.of(),
                        d.attention(window.applyAsInt(layer)),
                        d.output(bias),
                        d.residual(),
                        d.norm("post_attention_layernorm"),
                        d.mlp(d.normed(), mlpBias),
                        d.residual()));
    }

    /** Which layers have rotary positions: those with a 1 in no_rope_layers, or all but each no_rope_layer_interval-th. */
    private static IntPredicate rotates(JsonFields fields, int layers) {
        String key = "no_rope_layers";
        String accepted = "a 1 or a 0 for each of the " + layers + " layers";
        int interval =
                fields.integer("no_rope_layer_interval", 1, Integer.MAX_VALUE).orElse(DEFAULT_INTERVAL);
        Optional<List<String>> given = fields.texts(key, accepted);
        given.ifPresent(flags -> {
            if (flags.size() != layers || !List.of("0", "1").containsAll(flags)) {
                throw fields.refuse(key, accepted);
            }
        });
        return layer -> given.map(flags -> flags.get(layer).equals("1")).orElse((layer + 1) % interval != 0);
    }

    /** In use if the file says so: where layer_types say so, else in the layers without rotary positions. */
    private static IntUnaryOperator windows(JsonFields fields, int layers, IntPredicate rotates) {
        OptionalInt window =
                fields.flag("use_sliding_window", false) ? fields.size("sliding_window") : OptionalInt.empty();
        return LayerWindows.byType(fields, layers, window, rotates.negate());
    }
}
