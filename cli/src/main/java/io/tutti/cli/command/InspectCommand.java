package io.tutti.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tutti.cli.command.Inspection.Texts;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.OneLine;
import io.tutti.cli.option.ContextOption;
import io.tutti.cli.option.ModelOption;
import io.tutti.engine.graph.Activations;
import io.tutti.kv.KvDtype;
import io.tutti.modelio.config.GenerationConfig;
import io.tutti.modelio.config.LayerVariant;
import io.tutti.modelio.config.ModelConfig;
import io.tutti.modelio.config.RopeScaling;
import io.tutti.modelio.tokenizer.Ends;
import io.tutti.modelio.tokenizer.Ends.End;
import io.tutti.modelio.tokenizer.LlamaPipeline;
import io.tutti.runtime.Sizes;
import io.tutti.sample.SamplingParams;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What a model directory holds, or exactly why it is refused. */
@Command(
        name = "inspect",
        customSynopsis = "tutti inspect MODEL [--json]",
        header = "Show what a model directory holds, or exactly why it is refused.",
        description = "Reads the config and the weights' headers; the weights themselves are checked at load.")
public final class InspectCommand implements Callable<Integer> {

    private final Console console;

    @Mixin
    private ModelOption model;

    @Mixin
    private ContextOption context;

    @Option(names = "--json", description = "Print one JSON object instead.")
    private boolean json;

    public InspectCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Inspection inspection = Inspection.of(model.path(), context::of);
        if (json) {
            console.println(json(inspection).toString());
        } else {
            print(inspection);
        }
        console.requireWritten();
        return ExitCode.DONE;
    }

    private void print(Inspection found) {
        ModelConfig config = found.config();
        console.println(found.directory().toString());
        line("architecture", lower(config.architecture()));
        line("parameters", Sizes.grouped(found.parameters()));
        line("weights", weights(found));
        line("activations", found.int4Group().isPresent() ? "f32; int8 with --activations int8" : "f32");
        line("vocabulary", Sizes.grouped(config.vocabSize()) + (config.tieWordEmbeddings() ? ", tied" : ""));
        if (config.architecture().hasLayers()) {
            line("layers", String.valueOf(config.numHiddenLayers()));
            line("hidden", config.hiddenSize() + ", intermediate " + config.intermediateSize());
            line(
                    "attention",
                    "%d heads of %d, %d for keys and values%s%s"
                            .formatted(
                                    config.numAttentionHeads(),
                                    config.headDim(),
                                    config.numKeyValueHeads(),
                                    config.variant().headNorms() ? ", each head normalized" : "",
                                    window(config.variant())));
            line("biases", biases(config.variant()));
            line("rope theta", plain(config.ropeTheta()));
            line("rope scaling", scaling(config.ropeScaling()));
            line("rms norm eps", String.valueOf(config.rmsNormEps()));
        }
        boolean plain = config.context() == config.maxPositionEmbeddings();
        line(
                "context",
                Sizes.grouped(config.context()) + " tokens" + (plain ? "" : " (" + config.contextSource() + ")"));
        line("cache", cache(found, KvDtype.F16) + "; " + cache(found, KvDtype.F32));
        line("tokenizer", tokenizer(found.directory(), config));
        line("chat template", found.chatTemplate() ? "yes" : "none");
        Texts texts = found.texts();
        Ends ends = texts.ends();
        if (ends.list().isEmpty()) {
            line("ends at", "no token");
        }
        ends.list().forEach(end -> line("ends at", text(end)));
        ends.notes().forEach(note -> line("note", note));
        texts.notes().forEach(note -> line("note", note));
        line("sampling", SamplingNotes.text(found.sampling()));
        if (!found.unapplied().isEmpty()) {
            line("note", GenerationConfig.FILE_NAME + ": " + SamplingNotes.unapplied(found.unapplied()));
        }
        found.notes().forEach(note -> line("note", note));
        if (!found.unused().isEmpty()) {
            line("note", Sizes.ignored(found.unused()));
        }
    }

    private void line(String label, String value) {
        console.println("  %-13s %s".formatted(label, value));
    }

    private static String weights(Inspection found) {
        String dtypes = found.byDtype().entrySet().stream()
                .map(e -> e.getValue().count() + " " + e.getKey())
                .collect(Collectors.joining(", "));
        String int4 = found.int4Group().isPresent()
                ? ", int4 in groups of " + found.int4Group().getAsInt()
                : "";
        return "%s in %d tensors (%s%s)".formatted(Sizes.text(found.bytes()), found.tensors(), dtypes, int4);
    }

    private static String cache(Inspection found, KvDtype dtype) {
        long token = found.cacheBytesPerToken(dtype);
        return "%s a token as %s, %s for the whole context"
                .formatted(
                        Sizes.text(token),
                        lower(dtype),
                        Sizes.text(token * found.config().context()));
    }

    private static String window(LayerVariant variant) {
        return variant.slidingWindow().isPresent()
                ? ", over a window of %s tokens"
                        .formatted(Sizes.grouped(variant.slidingWindow().getAsInt()))
                : "";
    }

    private static String biases(LayerVariant variant) {
        String biases = Stream.of(
                        variant.queryKeyValueBias() ? "q, k, v" : "",
                        variant.outputBias() ? "o" : "",
                        variant.mlpBias() ? "gate, up, down" : "")
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining(", "));
        return biases.isEmpty() ? "none" : biases;
    }

    private static String scaling(RopeScaling scaling) {
        return switch (scaling) {
            case RopeScaling.Default _ -> "none";
            case RopeScaling.Linear linear -> "linear, by " + plain(linear.factor());
            case RopeScaling.Llama3 llama3 ->
                "llama3, by %s from %s positions"
                        .formatted(plain(llama3.factor()), Sizes.grouped(llama3.originalMaxPositionEmbeddings()));
            case RopeScaling.Yarn yarn ->
                "yarn, by %s from %s positions"
                        .formatted(plain(yarn.factor()), Sizes.grouped(yarn.originalMaxPositionEmbeddings()));
        };
    }

    private static String tokenizer(Path directory, ModelConfig config) {
        return switch (config.tokenizer()) {
            case NONE -> "none: tokens only (--tokens)";
            case BYTE -> "bytes";
            case HUGGING_FACE ->
                "tokenizer.json"
                        + (LlamaPipeline.isChoice(directory, config) ? ", or with --no-legacy as transformers 5" : "");
        };
    }

    private static String plain(double value) {
        return value == Math.rint(value) ? Sizes.grouped((long) value) : String.valueOf(value);
    }

    private static String text(End end) {
        String text = end.text().isEmpty() ? "" : " " + OneLine.quote(end.text().replace("\n", "\\n"));
        String what = switch (end) {
            case End.Token token -> "token " + token.id() + text;
            case End.Text _ -> "the text" + text;
        };
        return what + " (" + end.source() + ")";
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static ObjectNode json(Inspection found) {
        ModelConfig config = found.config();
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("model", found.directory().toString());
        object.put("architecture", lower(config.architecture()));
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
        if (config.architecture().hasLayers()) {
            object.put("hidden_size", config.hiddenSize());
            object.put("intermediate_size", config.intermediateSize());
            object.put("num_hidden_layers", config.numHiddenLayers());
            object.put("num_attention_heads", config.numAttentionHeads());
            object.put("num_key_value_heads", config.numKeyValueHeads());
            object.put("head_dim", config.headDim());
            object.put("rms_norm_eps", config.rmsNormEps());
            object.put("rope_theta", config.ropeTheta());
            object.set("rope_scaling", scalingJson(config.ropeScaling()));
            LayerVariant variant = config.variant();
            if (variant.slidingWindow().isPresent()) {
                object.put("sliding_window", variant.slidingWindow().getAsInt());
            } else {
                object.putNull("sliding_window");
            }
            object.put("qkv_bias", variant.queryKeyValueBias());
            object.put("o_bias", variant.outputBias());
            object.put("mlp_bias", variant.mlpBias());
            object.put("head_norms", variant.headNorms());
            object.put("tie_word_embeddings", config.tieWordEmbeddings());
        }
        object.put("max_position_embeddings", config.maxPositionEmbeddings());
        return object;
    }
}
