package io.tutti.engine.graph;

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
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A model's forward pass: the ops before the layers, the ops of one layer, how often the layer repeats, and the ops after
 * the layers. Layers differ in their weights and their cache only, so a backend can compile the layer once.
 *
 * @param prologue ops that run once, first
 * @param layer ops that run once a layer; their weights' names carry {@link Weight#LAYER}
 * @param layers how often the layer repeats; 0 for a model without layers
 * @param epilogue ops that run once, last
 * @param hidden the last hidden states, {@code [tokens, hidden]}, if the model has any
 * @param logits the result, {@code [outputs, vocab]}
 */
public record Graph(
        List<Op> prologue, List<Op> layer, int layers, List<Op> epilogue, Optional<Buffer> hidden, Buffer logits) {

    /** Ops that run one after the other; a graph has three such parts. */
    public enum Part {
        /** Once, first. */
        PROLOGUE,
        /** Once a layer. */
        LAYER,
        /** Once, last. */
        EPILOGUE
    }

    public Graph {
        prologue = List.copyOf(prologue);
        layer = List.copyOf(layer);
        epilogue = List.copyOf(epilogue);
        Objects.requireNonNull(hidden, "hidden");
        if (logits.rows() != Rows.OUTPUTS) {
            throw new IllegalArgumentException("logits must have a row for each output, not for each token");
        }
    }

    /** Every weight by its name in the checkpoint, in the order of first use. */
    public Map<String, Weight> weights() {
        Map<String, Weight> weights = new LinkedHashMap<>();
        forEachInOrder((op, layer) -> {
            switch (op) {
                case Embed e -> weights.put(e.table().name(layer), e.table());
                case RmsNorm n -> weights.put(n.scale().name(layer), n.scale());
                case HeadNorm n -> weights.put(n.scale().name(layer), n.scale());
                case MatMul m -> {
                    weights.put(m.weight().name(layer), m.weight());
                    m.bias().ifPresent(bias -> weights.put(bias.name(layer), bias));
                }
                case Rope _, WriteKv _, Attention _, SwiGlu _, Add _, SelectOutputs _ -> {}
            }
        });
        return weights;
    }

    /** The most numbers that a row of any buffer of this kind has, or 0 if there is none. */
    public int widest(Rows rows) {
        return Stream.of(prologue, layer, epilogue)
                .flatMap(List::stream)
                .flatMap(op -> written(op).stream())
                .filter(buffer -> buffer.rows() == rows)
                .mapToInt(Buffer::width)
                .max()
                .orElse(0);
    }

    /**
     * The buffers that hold a result when a step is done: the hidden states and the logits, and what the last op writes, for
     * a graph that was cut short to look inside. What other buffers hold, or whether they exist, is the backend's business.
     */
    public Set<Buffer> results() {
        Set<Buffer> results = new LinkedHashSet<>();
        hidden.filter(this::isWritten).ifPresent(results::add);
        if (isWritten(logits)) {
            results.add(logits);
        }
        Stream.of(epilogue, layers == 0 ? List.<Op>of() : layer, prologue)
                .filter(ops -> !ops.isEmpty())
                .findFirst()
                .ifPresent(ops -> results.addAll(written(ops.getLast())));
        return Collections.unmodifiableSet(results);
    }

    private boolean isWritten(Buffer buffer) {
        return Stream.of(prologue, layer, epilogue)
                .flatMap(List::stream)
                .anyMatch(op -> written(op).contains(buffer));
    }

    /**
     * For programs: refuses to read what holds no result.
     *
     * @throws IllegalArgumentException if the buffer is none of {@link #results}
     */
    public void requireResult(Buffer buffer) {
        if (!results().contains(buffer)) {
            throw new IllegalArgumentException("buffer " + buffer.name() + " holds no result; accepted: "
                    + results().stream().map(Buffer::name).collect(Collectors.joining(", ")));
        }
    }

    /** The buffers that an op writes; none if it writes to the cache alone. */
    public static List<Buffer> written(Op op) {
        return switch (op) {
            case Embed e -> List.of(e.out());
            case RmsNorm n -> List.of(n.out());
            case HeadNorm n -> List.of(n.x());
            case MatMul m -> List.of(m.out());
            case Rope r -> List.of(r.x());
            case WriteKv _ -> List.of();
            case Attention a -> List.of(a.out());
            case SwiGlu s -> List.of(s.out());
            case Add a -> List.of(a.x());
            case SelectOutputs s -> List.of(s.out());
        };
    }

    /** The buffers that an op reads. */
    public static List<Buffer> read(Op op) {
        return switch (op) {
            case Embed _ -> List.of();
            case RmsNorm n -> List.of(n.in());
            case HeadNorm n -> List.of(n.x());
            case MatMul m -> List.of(m.in());
            case Rope r -> List.of(r.x());
            case WriteKv w -> List.of(w.k(), w.v());
            case Attention a -> List.of(a.q());
            case SwiGlu s -> List.of(s.gate(), s.up());
            case Add a -> List.of(a.x(), a.y());
            case SelectOutputs s -> List.of(s.in());
        };
    }

    /** The ops of a part. */
    public List<Op> ops(Part part) {
        return switch (part) {
            case PROLOGUE -> prologue;
            case LAYER -> layer;
            case EPILOGUE -> epilogue;
        };
    }

    /**
     * Whether what {@code buffer} holds behind the op at {@code at} of a part is a result, or read before it is overwritten. On
     * a layer follows the next one, and on the last the epilogue: what either reads is read.
     */
    public boolean isReadAfter(Part part, int at, Buffer buffer) {
        List<Op> rest = ops(part).subList(at + 1, ops(part).size());
        return switch (part) {
            case PROLOGUE -> isRead(buffer, List.of(rest, layers == 0 ? List.of() : layer, epilogue));
            case LAYER ->
                isRead(buffer, List.of(rest, epilogue))
                        || (layers > 1 && isRead(buffer, List.of(rest, layer, epilogue)));
            case EPILOGUE -> isRead(buffer, List.of(rest));
        };
    }

    /** Whether what a buffer holds is a result, or read before it is overwritten, when these ops are still to run. */
    private boolean isRead(Buffer buffer, List<List<Op>> following) {
        for (Op op : following.stream().flatMap(List::stream).toList()) {
            if (read(op).contains(buffer)) {
                return true;
            }
            if (written(op).contains(buffer)) {
                return false;
            }
        }
        return results().contains(buffer);
    }

    /** Calls {@code visitor} for every op in the order of execution, with the layer it runs in. */
    public void forEachInOrder(Visitor visitor) {
        prologue.forEach(op -> visitor.visit(op, OptionalInt.empty()));
        for (int l = 0; l < layers; l++) {
            OptionalInt at = OptionalInt.of(l);
            layer.forEach(op -> visitor.visit(op, at));
        }
        epilogue.forEach(op -> visitor.visit(op, OptionalInt.empty()));
    }

    /** Receives ops in the order of execution. */
    @FunctionalInterface
    public interface Visitor {
        /**
         * Receives one op.
         *
         * @param op the op
         * @param layer the layer it runs in, or empty outside the layers
         */
        void visit(Op op, OptionalInt layer);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Puts a graph together in the order that data flows. */
    public static final class Builder {
        private final List<Op> prologue = new ArrayList<>();
        private final List<Op> layer = new ArrayList<>();
        private final List<Op> epilogue = new ArrayList<>();
        private int layers;

        private Builder() {}

        /** Adds ops that run once, ahead of the layers. */
        public Builder first(Op... ops) {
            prologue.addAll(List.of(ops));
            return this;
        }

        /** Adds the ops of a layer, which runs {@code count} times; their weights' names carry {@link Weight#LAYER}. */
        public Builder eachLayer(int count, Op... ops) {
            return eachLayer(count, List.of(ops));
        }

        /** The same, of ops in a list. */
        public Builder eachLayer(int count, List<Op> ops) {
            layers = count;
            layer.addAll(ops);
            return this;
        }

        /** Adds ops that run once, after the layers. */
        public Builder last(Op... ops) {
            epilogue.addAll(List.of(ops));
            return this;
        }

        /** A graph without hidden states. */
        public Graph build(Buffer logits) {
            return new Graph(prologue, layer, layers, epilogue, Optional.empty(), logits);
        }

        /** A graph whose last hidden states are in {@code hidden}. */
        public Graph build(Buffer hidden, Buffer logits) {
            return new Graph(prologue, layer, layers, epilogue, Optional.of(hidden), logits);
        }
    }
}
