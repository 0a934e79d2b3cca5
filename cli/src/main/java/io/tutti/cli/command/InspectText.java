package io.tutti.cli.command;

import io.tutti.cli.command.Inspection.Texts;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.OneLine;
import io.tutti.engine.graph.GraphFacts;
import io.tutti.engine.graph.RopeScaling;
import io.tutti.engine.model.ModelConfig;
import io.tutti.kv.KvDtype;
import io.tutti.modelio.config.GenerationConfig;
import io.tutti.modelio.tokenizer.Ends;
import io.tutti.modelio.tokenizer.Ends.End;
import io.tutti.modelio.tokenizer.LlamaPipeline;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What {@code inspect} prints for people: a label and a value on each line. */
final class InspectText {

    private final Console console;

    InspectText(Console console) {
        this.console = console;
    }

    void print(Inspection found) {
        ModelConfig config = found.config();
        console.println(found.directory().toString());
        line("architecture", config.modelType());
        line("parameters", Sizes.grouped(found.parameters()));
        line("weights", weights(found));
        line("activations", found.int4Group().isPresent() ? "f32; int8 with --activations int8" : "f32");
        line("vocabulary", Sizes.grouped(config.vocabSize()) + (config.tieWordEmbeddings() ? ", tied" : ""));
        GraphFacts facts = new GraphFacts(config.graph());
        if (facts.layers() > 0) {
            printLayers(facts);
        }
        line("context", context(config));
        line("cache", cache(found, KvDtype.F16) + "; " + cache(found, KvDtype.F32));
        line("tokenizer", tokenizer(found.directory(), config));
        line("chat template", found.chatTemplate() ? "yes" : "none");
        printEnds(found.texts());
        line("sampling", Sampling.text(found.sampling()));
        if (!found.unapplied().isEmpty()) {
            line("note", GenerationConfig.FILE_NAME + ": " + Sampling.unapplied(found.unapplied()));
        }
        found.notes().forEach(note -> line("note", note));
        if (!found.unused().isEmpty()) {
            line("note", Sizes.ignored(found.unused()));
        }
    }

    private void printLayers(GraphFacts facts) {
        line("layers", String.valueOf(facts.layers()));
        line("hidden", facts.hidden() + ", intermediate " + facts.intermediate());
        line("attention", attention(facts));
        line("biases", biases(facts));
        line("rope theta", plain(facts.ropeTheta()));
        line("rope scaling", scaling(facts.ropeScaling()));
        line("rms norm eps", String.valueOf(facts.eps()));
    }

    private void printEnds(Texts texts) {
        Ends ends = texts.ends();
        if (ends.list().isEmpty()) {
            line("ends at", "no token");
        }
        ends.list().forEach(end -> line("ends at", text(end)));
        ends.notes().forEach(note -> line("note", note));
        texts.notes().forEach(note -> line("note", note));
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

    private static String attention(GraphFacts facts) {
        return "%d heads of %d, %d for keys and values%s%s"
                .formatted(
                        facts.heads(),
                        facts.headDim(),
                        facts.keyValueHeads(),
                        facts.headNorms() ? ", each head normalized" : "",
                        window(facts));
    }

    private static String context(ModelConfig config) {
        String tokens = Sizes.grouped(config.context()) + " tokens";
        return config.context() == config.maxPositionEmbeddings()
                ? tokens
                : tokens + " (" + config.contextSource() + ")";
    }

    private static String window(GraphFacts facts) {
        if (facts.window().isEmpty()) {
            return "";
        }
        String window = ", over a window of %s tokens"
                .formatted(Sizes.grouped(facts.window().getAsInt()));
        return facts.windowedLayers() == facts.layers()
                ? window
                : window + " in %d of the layers".formatted(facts.windowedLayers());
    }

    private static String biases(GraphFacts facts) {
        String biases = Stream.of(
                        facts.queryKeyValueBias() ? "q, k, v" : "",
                        facts.outputBias() ? "o" : "",
                        facts.mlpBias() ? "gate, up, down" : "")
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
                        + (LlamaPipeline.isChoice(directory, config.text())
                                ? ", or with --no-legacy as transformers 5"
                                : "");
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
}
