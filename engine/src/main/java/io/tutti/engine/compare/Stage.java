package io.tutti.engine.compare;

import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Graph.Part;
import io.tutti.engine.graph.Graph.Place;
import io.tutti.engine.graph.Op;
import io.tutti.engine.graph.Op.Add;
import io.tutti.engine.graph.Op.Attention;
import io.tutti.engine.graph.Op.Embed;
import io.tutti.engine.graph.Op.HeadNorm;
import io.tutti.engine.graph.Op.MatMul;
import io.tutti.engine.graph.Op.RmsNorm;
import io.tutti.engine.graph.Op.Rope;
import io.tutti.engine.graph.Op.SelectOutputs;
import io.tutti.engine.graph.Op.SwiGlu;
import io.tutti.engine.graph.Op.WriteKv;
import io.tutti.engine.graph.Weight;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A part of a model that runs as a program of its own: what comes before the layers, one layer, or what comes after them.
 * All but the first take their input, the residual stream, as an embedding table: the row of a token is its state.
 *
 * @param name for people: {@code layer 3}
 * @param part which part
 * @param layer the layer's number, for a layer
 * @param ops its ops
 * @param in the buffer that it begins with; empty for the first
 * @param out what it leaves
 */
record Stage(String name, Part part, OptionalInt layer, List<Op> ops, Optional<Buffer> in, Buffer out) {

    /** The table that holds the input; no checkpoint has a tensor of this name. */
    static final String INPUT = "{input}";

    /** The stages of a model, in order. */
    static List<Stage> of(Graph graph) {
        Buffer state = result(graph.prologue());
        return graph.places().stream().map(place -> of(graph, place, state)).toList();
    }

    /** @param state what the prologue leaves, and each layer takes and leaves */
    private static Stage of(Graph graph, Place place, Buffer state) {
        List<Op> ops = graph.ops(place.part());
        return switch (place.part()) {
            case Part.Prologue part -> new Stage("embedding", part, place.layer(), ops, Optional.empty(), state);
            case Part.Layer part -> {
                Buffer out = result(ops);
                if (!out.equals(state)) {
                    throw new IllegalArgumentException("a layer must leave its result where it found its input, in "
                            + state.name() + ", and leaves it in " + out.name());
                }
                String name = "layer " + place.layer().orElseThrow();
                yield new Stage(name, part, place.layer(), ops, Optional.of(state), out);
            }
            case Part.Epilogue part ->
                new Stage("logits", part, place.layer(), ops, Optional.of(state), graph.logits());
        };
    }

    private static Buffer result(List<Op> ops) {
        return Graph.written(ops.getLast()).getLast();
    }

    boolean isFirst() {
        return part instanceof Part.Prologue;
    }

    /**
     * The first {@code n} of the stage's ops as a graph.
     *
     * @param model the whole model
     * @param tokens rows of the input
     */
    Graph graph(Graph model, int n, int tokens) {
        List<Op> some = ops.subList(0, n);
        List<Op> input = in.<Op>map(x -> new Embed(new Weight.Matrix(INPUT, tokens, x.width()), x)).stream()
                .toList();
        Graph.Builder graph = Graph.builder().first(input);
        return switch (part) {
            case Part.Prologue _ -> graph.first(some).build(model.logits());
            case Part.Layer _ -> graph.eachLayer(1, _ -> some).build(model.logits());
            case Part.Epilogue _ -> graph.last(some).build(model.logits());
        };
    }

    /** An op for people: {@code MatMul model.layers.3.mlp.up_proj.weight}, {@code Rope q}. */
    String nameOf(Op op) {
        String what = switch (op) {
            case Embed e -> e.table().name(layer);
            case RmsNorm n -> n.scale().name(layer);
            case HeadNorm n -> n.scale().name(layer);
            case MatMul m -> m.weight().name(layer);
            case WriteKv w -> w.k().name() + ", " + w.v().name();
            case Rope _, Attention _, SwiGlu _, Add _, SelectOutputs _ ->
                Graph.written(op).getFirst().name();
        };
        return op.getClass().getSimpleName() + " " + what;
    }
}
