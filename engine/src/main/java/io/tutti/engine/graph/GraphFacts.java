package io.tutti.engine.graph;

import io.tutti.engine.graph.Op.Attention;
import io.tutti.engine.graph.Op.Embed;
import io.tutti.engine.graph.Op.HeadNorm;
import io.tutti.engine.graph.Op.MatMul;
import io.tutti.engine.graph.Op.RmsNorm;
import io.tutti.engine.graph.Op.Rope;
import io.tutti.engine.graph.Op.SwiGlu;
import io.tutti.engine.graph.Op.WriteKv;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What a graph's ops say of a model, for people. Sizes of what a model does not have are 0. */
public record GraphFacts(Graph graph) {

    /** Width of the residual stream. */
    public int hidden() {
        return ops(Embed.class).mapToInt(e -> e.out().width()).findFirst().orElse(0);
    }

    /** Width of the MLP. */
    public int intermediate() {
        return ops(SwiGlu.class).mapToInt(s -> s.out().width()).findFirst().orElse(0);
    }

    /** How many layers there are. */
    public int layers() {
        return graph.layers().size();
    }

    /** Query heads. */
    public int heads() {
        return graph.attention().map(Attention::heads).orElse(0);
    }

    /** Heads of keys and values. */
    public int keyValueHeads() {
        return graph.attention().map(Attention::kvHeads).orElse(0);
    }

    /** Elements of a head. */
    public int headDim() {
        return graph.attention().map(Attention::headDim).orElse(0);
    }

    /** Numbers that the cache holds for a position: keys and values of all layers. */
    public long cachedNumbers() {
        return 2L * layers() * keyValueHeads() * headDim();
    }

    /** The norms' epsilon. */
    public float eps() {
        return ops(RmsNorm.class).map(RmsNorm::eps).findFirst().orElse(0f);
    }

    /** The rotary positions; those of base 0 if there are none. */
    public double ropeTheta() {
        return ops(Rope.class).mapToDouble(r -> r.rope().theta()).findFirst().orElse(0);
    }

    /** How the frequencies of the rotary positions are scaled. */
    public RopeScaling ropeScaling() {
        return ops(Rope.class).map(r -> r.rope().scaling()).findFirst().orElse(RopeScaling.NONE);
    }

    /** The window of the layers that have one. */
    public OptionalInt window() {
        return ops(Attention.class)
                .mapToInt(Attention::window)
                .filter(window -> window != Attention.WHOLE_CONTEXT)
                .findFirst();
    }

    /** How many layers have a window. */
    public int windowedLayers() {
        return (int) graph.layers().stream()
                .filter(kind -> graph.kinds().get(kind).stream()
                        .anyMatch(op -> op instanceof Attention a && a.window() != Attention.WHOLE_CONTEXT))
                .count();
    }

    /** Whether each head of queries and keys has a norm. */
    public boolean headNorms() {
        return ops(HeadNorm.class).findAny().isPresent();
    }

    /** Whether the projections to queries, keys and values have biases. */
    public boolean queryKeyValueBias() {
        List<Buffer> keys = ops(WriteKv.class).map(WriteKv::k).toList();
        return anyBias(product -> keys.contains(product.out()));
    }

    /** Whether attention's output projection has a bias. */
    public boolean outputBias() {
        List<Buffer> attended = ops(Attention.class).map(Attention::out).toList();
        return anyBias(product -> attended.contains(product.in()));
    }

    /** Whether the MLP's projections have biases. */
    public boolean mlpBias() {
        List<Buffer> gates = ops(SwiGlu.class).map(SwiGlu::gate).toList();
        return anyBias(product -> gates.contains(product.out()));
    }

    private boolean anyBias(Predicate<MatMul> which) {
        return ops(MatMul.class)
                .filter(which)
                .anyMatch(product -> product.bias().isPresent());
    }

    private <T extends Op> Stream<T> ops(Class<T> type) {
        return graph.distinctOps().filter(type::isInstance).map(type::cast);
    }
}
