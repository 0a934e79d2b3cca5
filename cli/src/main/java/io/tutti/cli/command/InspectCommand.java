package io.tutti.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.option.ModelOption;
import io.tutti.engine.graph.Activations;
import io.tutti.kv.KvDtype;
import io.tutti.modelio.config.Architecture;
import io.tutti.modelio.config.ModelConfig;
import io.tutti.modelio.config.TokenizerKind;
import io.tutti.sample.SamplingParams;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
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

    @Option(names = "--json", description = "Print one JSON object instead.")
    private boolean json;

    public InspectCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Inspection inspection = Inspection.of(model.path());
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
        if (config.architecture() == Architecture.LLAMA) {
            line("layers", String.valueOf(config.numHiddenLayers()));
            line("hidden", config.hiddenSize() + ", intermediate " + config.intermediateSize());
            line(
                    "attention",
                    "%d heads of %d, %d for keys and values"
                            .formatted(config.numAttentionHeads(), config.headDim(), config.numKeyValueHeads()));
            line("rope theta", plain(config.ropeTheta()));
            line("rms norm eps", String.valueOf(config.rmsNormEps()));
        }
        line("context", Sizes.grouped(config.maxPositionEmbeddings()) + " tokens");
        line("cache", cache(found, KvDtype.F16) + "; " + cache(found, KvDtype.F32));
        line("tokenizer", tokenizer(config.tokenizer()));
        line("chat template", found.chatTemplate() ? "yes" : "none");
        line("ends at", config.eosTokenIds().isEmpty() ? "no token" : "token " + list(config.eosTokenIds()));
        line("sampling", Sampling.text(found.sampling()));
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
                        Sizes.text(token * found.config().maxPositionEmbeddings()));
    }

    private static String tokenizer(TokenizerKind kind) {
        return switch (kind) {
            case NONE -> "none: tokens only (--tokens)";
            case BYTE -> "bytes";
            case HUGGING_FACE -> "tokenizer.json";
        };
    }

    private static String plain(double value) {
        return value == Math.rint(value) ? Sizes.grouped((long) value) : String.valueOf(value);
    }

    private static String list(List<Integer> ids) {
        return ids.stream().map(String::valueOf).collect(Collectors.joining(", "));
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
        object.put("context", config.maxPositionEmbeddings());
        var ends = object.putArray("eos_token_ids");
        config.eosTokenIds().forEach(ends::add);
        object.set("sampling", sampling(found.sampling()));
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

    /** Under config.json's own names. */
    private static ObjectNode config(ModelConfig config) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("vocab_size", config.vocabSize());
        if (config.architecture() == Architecture.LLAMA) {
            object.put("hidden_size", config.hiddenSize());
            object.put("intermediate_size", config.intermediateSize());
            object.put("num_hidden_layers", config.numHiddenLayers());
            object.put("num_attention_heads", config.numAttentionHeads());
            object.put("num_key_value_heads", config.numKeyValueHeads());
            object.put("head_dim", config.headDim());
            object.put("rms_norm_eps", config.rmsNormEps());
            object.put("rope_theta", config.ropeTheta());
            object.put("tie_word_embeddings", config.tieWordEmbeddings());
        }
        object.put("max_position_embeddings", config.maxPositionEmbeddings());
        return object;
    }
}
