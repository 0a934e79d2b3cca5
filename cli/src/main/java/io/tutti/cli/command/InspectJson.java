package io.tutti.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tutti.cli.command.Inspection.Texts;
import io.tutti.engine.graph.Activations;
import io.tutti.engine.graph.GraphFacts;
import io.tutti.engine.graph.RopeScaling;
import io.tutti.engine.model.ModelConfig;
import io.tutti.kv.KvDtype;
import io.tutti.modelio.tokenizer.Ends;
import io.tutti.modelio.tokenizer.Ends.End;
import io.tutti.sample.SamplingParams;
import java.util.Locale;

/** What {@code inspect --json} prints: one object. */
final class InspectJson {

    private InspectJson() {}

    static ObjectNode of(Inspection found) {
        ModelConfig config = found.config();
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("model", found.directory().toString());
        object.put("architecture", config.modelType());
        object.put("parameters", found.parameters());
        object.put("bytes", found.bytes());
        object.put("tensors", found.tensors());
        ObjectNode dtypes = object.putObject("dtypes");
        found.byDtype()
                .forEach((dtype, tensors) -> dtypes.putObject(dtype.name())
                        .put("tensors", tensors.count())
                        .put("bytes", tensors.bytes()));
        if (found.int4Group().isPresent()) {
            object.put("int4_group", found.int4Group().getAsInt());
        }
        var activations = object.putArray("activations").add(lower(Activations.F32));
        if (found.int4Group().isPresent()) {
            activations.add(lower(Activations.INT8));
        }
        object.set("config", config(config));
        object.put("kv_bytes_per_token_f16", found.cacheBytesPerToken(KvDtype.F16));
        object.put("kv_bytes_per_token_f32", found.cacheBytesPerToken(KvDtype.F32));
        object.put("tokenizer", lower(config.tokenizer()));
        object.put("chat_template", found.chatTemplate());
        object.put("context", config.context());
        var eos = object.putArray("eos_token_ids");
        config.eosTokenIds().forEach(eos::add);
        Texts texts = found.texts();
        Ends ends = texts.ends();
        var all = object.putArray("ends");
        for (End end : ends.list()) {
            ObjectNode one = all.addObject();
            if (end instanceof End.Token token) {
                one.put("id", token.id());
            }
            one.put("text", end.text()).put("source", end.source());
        }
        object.set("sampling", sampling(found.sampling()));
        var unapplied = object.putArray("unapplied_generation_keys");
        found.unapplied().forEach(unapplied::add);
        var notes = object.putArray("notes");
        found.notes().forEach(notes::add);
        ends.notes().forEach(notes::add);
        texts.notes().forEach(notes::add);
        var unused = object.putArray("unused_tensors");
        found.unused().forEach(unused::add);
        return object;
    }

    /** Under generation_config.json's own names. */
    private static ObjectNode sampling(SamplingParams params) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("temperature", params.temperature());
        object.put("top_k", params.topK());
        object.put("top_p", params.topP());
        object.put("min_p", params.minP());
        object.put("repetition_penalty", params.repetitionPenalty());
        return object;
    }

    private static ObjectNode scalingJson(RopeScaling scaling) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("rope_type", scaling.ropeType());
        switch (scaling) {
            case RopeScaling.Default _ -> {}
            case RopeScaling.Linear linear -> object.put("factor", linear.factor());
            case RopeScaling.Llama3 llama3 -> {
                object.put("factor", llama3.factor());
                object.put("low_freq_factor", llama3.lowFreqFactor());
                object.put("high_freq_factor", llama3.highFreqFactor());
                object.put("original_max_position_embeddings", llama3.originalMaxPositionEmbeddings());
            }
            case RopeScaling.Yarn yarn -> {
                object.put("factor", yarn.factor());
                object.put("attention_factor", yarn.attentionFactor());
                object.put("beta_fast", yarn.betaFast());
                object.put("beta_slow", yarn.betaSlow());
                object.put("original_max_position_embeddings", yarn.originalMaxPositionEmbeddings());
                object.put("truncate", yarn.truncate());
            }
        }
        return object;
    }

    /** Under config.json's own names, where it has one. */
    private static ObjectNode config(ModelConfig config) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("vocab_size", config.vocabSize());
        GraphFacts facts = new GraphFacts(config.graph());
        if (facts.layers() > 0) {
            object.put("hidden_size", facts.hidden());
            object.put("intermediate_size", facts.intermediate());
            object.put("num_hidden_layers", facts.layers());
            object.put("num_attention_heads", facts.heads());
            object.put("num_key_value_heads", facts.keyValueHeads());
            object.put("head_dim", facts.headDim());
            object.put("rms_norm_eps", facts.eps());
            object.put("rope_theta", facts.ropeTheta());
            object.set("rope_scaling", scalingJson(facts.ropeScaling()));
            if (facts.window().isPresent()) {
                object.put("sliding_window", facts.window().getAsInt());
                object.put("sliding_window_layers", facts.windowedLayers());
            } else {
                object.putNull("sliding_window");
            }
            object.put("qkv_bias", facts.queryKeyValueBias());
            object.put("o_bias", facts.outputBias());
            object.put("mlp_bias", facts.mlpBias());
            object.put("head_norms", facts.headNorms());
            object.put("tie_word_embeddings", config.tieWordEmbeddings());
        }
        object.put("max_position_embeddings", config.maxPositionEmbeddings());
        return object;
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
