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
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A model's forward pass: the ops before the layers, the ops of each kind of layer, the kind of every layer, and the ops after
 * the layers. Layers of one kind differ in their weights and their cache only, so a backend can compile a kind once.
 *
 * @param prologue ops that run once, first
 * @param kinds the ops of a layer, for each kind; their weights' names carry {@link Weight#LAYER}
 * @param layers the kind of every layer, in order; empty for a model without layers
 * @param epilogue ops that run once, last
 * @param hidden the last hidden states, {@code [tokens, hidden]}, if the model has any
 * @param logits the result, {@code [outputs, vocab]}
 */
public record Graph(
        List<Op> prologue,
        List<List<Op>> kinds,
        List<Integer> layers,
        List<Op> epilogue,
        Optional<Buffer> hidden,
        Buffer logits) {

    /** Ops that run one after the other. */
    public sealed interface Part {

        /** Once, first. */
        record Prologue() implements Part {}

        /** Once in each layer of a kind. */
        record Layer(int kind) implements Part {}

        /** Once, last. */
        record Epilogue() implements Part {}
    }

    /**
     * A run of a part.
     *
     * @param layer which layer it is, or empty outside the layers
     */
    public record Place(Part part, OptionalInt layer) {}

    public Graph {
        prologue = List.copyOf(prologue);
        kinds = kinds.stream().map(List::copyOf).toList();
        layers = List.copyOf(layers);
        epilogue = List.copyOf(epilogue);
        Objects.requireNonNull(hidden, "hidden");
        if (logits.rows() != Rows.OUTPUTS) {
            throw new IllegalArgumentException("logits must have a row for each output, not for each token");
        }
        for (int kind : layers) {
            Objects.checkIndex(kind, kinds.size());
        }
    }

    /** Every weight by its name, in the order of first use. */
    public Map<String, Weight> weights() {
        Map<String, Weight> weights = new LinkedHashMap<>();
        forEachWeight((weight, layer) -> weights.put(weight.name(layer), weight));
        return weights;
    }

    /** Calls {@code visitor} for every weight that an op reads, in the order of execution, with the layer that it is of. */
    public void forEachWeight(BiConsumer<Weight, OptionalInt> visitor) {
        forEachInOrder((op, layer) -> {
            switch (op) {
                case Embed e -> visitor.accept(e.table(), layer);
                case RmsNorm n -> visitor.accept(n.scale(), layer);
                case HeadNorm n -> visitor.accept(n.scale(), layer);
                case MatMul m -> {
                    visitor.accept(m.weight(), layer);
                    m.bias().ifPresent(bias -> visitor.accept(bias, layer));
                }
                case Rope _, WriteKv _, Attention _, SwiGlu _, Add _, SelectOutputs _ -> {}
            }
        });
    }

    /**
     * What the graph computes, as a text: two graphs have the same exactly if they do the same to the same weights. The names
     * of records and their components are part of it, so a change of those makes caches that were exported unknown.
     */
    public String text() {
        return String.join("\n", prologue.toString(), kinds.toString(), layers.toString(), epilogue.toString());
    }

    /** All runs of parts, in the order of execution. */
    public List<Place> places() {
        List<Place> places = new ArrayList<>();
        places.add(new Place(new Part.Prologue(), OptionalInt.empty()));
        for (int l = 0; l < layers.size(); l++) {
            places.add(new Place(new Part.Layer(layers.get(l)), OptionalInt.of(l)));
        }
        places.add(new Place(new Part.Epilogue(), OptionalInt.empty()));
        return places;
    }

    /** The ops of a part. */
    public List<Op> ops(Part part) {
        return switch (part) {
            case Part.Prologue _ -> prologue;
            case Part.Layer layer -> kinds.get(layer.kind());
            case Part.Epilogue _ -> epilogue;
        };
    }

    /** Every op once, whatever number of layers run it. */
    Stream<Op> distinctOps() {
        return Stream.of(Stream.of(prologue), kinds.stream(), Stream.of(epilogue))
                .flatMap(parts -> parts)
                .flatMap(List::stream);
    }

    /** The most numbers that a row of any buffer of this kind has, or 0 if there is none. */
    public int widest(Rows rows) {
        return distinctOps()
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
        places().reversed().stream()
                .map(place -> ops(place.part()))
                .filter(ops -> !ops.isEmpty())
                .findFirst()
                .ifPresent(ops -> results.addAll(written(ops.getLast())));
        return Collections.unmodifiableSet(results);
    }

    private boolean isWritten(Buffer buffer) {
        return distinctOps().anyMatch(op -> written(op).contains(buffer));
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

    /**
     * Whether what {@code buffer} holds behind the op at {@code at} of a part is a result, or read before it is overwritten, in
     * any layer that runs the part.
     */
    public boolean isReadAfter(Part part, int at, Buffer buffer) {
        List<Op> rest = ops(part).subList(at + 1, ops(part).size());
        List<Place> places = places();
        return IntStream.range(0, places.size())
                .filter(i -> places.get(i).part().equals(part))
                .anyMatch(i -> isRead(
                        buffer,
                        Stream.concat(
                                rest.stream(),
                                places.subList(i + 1, places.size()).stream()
                                        .flatMap(place -> ops(place.part()).stream()))));
    }

    /** Whether what a buffer holds is a result, or read before it is overwritten, when these ops are still to run. */
    private boolean isRead(Buffer buffer, Stream<Op> following) {
        return following
                .filter(op -> read(op).contains(buffer) || written(op).contains(buffer))
                .findFirst()
                .map(op -> read(op).contains(buffer))
                .orElseGet(() -> results().contains(buffer));
    }

    /** Calls {@code visitor} for every op in the order of execution, with the layer it runs in. */
    public void forEachInOrder(Visitor visitor) {
        places().forEach(place -> ops(place.part()).forEach(op -> visitor.visit(op, place.layer())));
    }

    /** The first {@code n} ops in the order of execution, for looking inside. */
    public Graph prefix(int n) {
        Builder cut = builder();
        int left = n;
        for (Place place : places()) {
            List<Op> all = ops(place.part());
            List<Op> some = all.subList(0, Math.min(left, all.size()));
            left -= some.size();
            switch (place.part()) {
                case Part.Prologue _ -> cut.first(some);
                case Part.Layer _ -> cut.eachLayer(some.isEmpty() ? 0 : 1, _ -> some);
                case Part.Epilogue _ -> cut.last(some);
            }
        }
        return cut.build(logits);
    }

    /** The names of the matrices in the layers: those that may be quantized, since all else is small or is read sparsely. */
    public Set<String> projections() {
        return projections(Tensor::text);
    }

    /** The tensors that hold them. */
    public Set<String> storedProjections() {
        return projections(tensor -> tensor.stored().name());
    }

    private Set<String> projections(Function<Tensor, String> name) {
        Set<String> names = new LinkedHashSet<>();
        forEachInOrder((op, layer) -> {
            if (layer.isPresent() && op instanceof MatMul product) {
                names.add(name.apply(product.weight().tensor().in(layer)));
            }
        });
        return names;
    }

    /** The attention of the layers, if there is any; layers differ in nothing that their cache's shape depends on. */
    public Optional<Attention> attention() {
        return kinds.stream()
                .flatMap(List::stream)
                .filter(Attention.class::isInstance)
                .map(Attention.class::cast)
                .findFirst();
    }

    /** The same graph, whose layers' projections take their input as {@code activations} if their weights are int4. */
    public Graph with(Activations activations) {
        List<List<Op>> changed = kinds.stream()
                .map(ops -> ops.stream()
                        .map(op -> op instanceof MatMul product ? product.with(activations) : op)
                        .toList())
                .toList();
        return new Graph(prologue, changed, layers, epilogue, hidden, logits);
    }

    /** The same graph with other ops. */
    public Graph with(UnaryOperator<Op> change) {
        return new Graph(
                prologue.stream().map(change).toList(),
                kinds.stream().map(ops -> ops.stream().map(change).toList()).toList(),
                layers,
                epilogue.stream().map(change).toList(),
                hidden,
                logits);
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
        private final List<List<Op>> kinds = new ArrayList<>();
        private final List<Integer> layers = new ArrayList<>();
        private final List<Op> epilogue = new ArrayList<>();

        private Builder() {}

        /** Adds ops that run once, ahead of the layers. */
        public Builder first(Op... ops) {
            return first(List.of(ops));
        }

        /** The same, of ops in a list. */
        public Builder first(List<Op> ops) {
            prologue.addAll(ops);
            return this;
        }

        /** Adds layers that are all alike; their weights' names carry {@link Weight#LAYER}. */
        public Builder eachLayer(int count, Op... ops) {
            return eachLayer(count, _ -> List.of(ops));
        }

        /** Adds layers, {@code ops} of each by its number; those with the same ops are of one kind. */
        public Builder eachLayer(int count, IntFunction<List<Op>> ops) {
            for (int l = 0; l < count; l++) {
                List<Op> layer = ops.apply(l);
                if (!kinds.contains(layer)) {
                    kinds.add(layer);
                }
                layers.add(kinds.indexOf(layer));
            }
            return this;
        }

        /** Adds ops that run once, after the layers. */
        public Builder last(Op... ops) {
            return last(List.of(ops));
        }

        /** The same, of ops in a list. */
        public Builder last(List<Op> ops) {
            epilogue.addAll(ops);
            return this;
        }

        /** A graph without hidden states. */
        public Graph build(Buffer logits) {
            return new Graph(prologue, kinds, layers, epilogue, Optional.empty(), logits);
        }

        /** A graph whose last hidden states are in {@code hidden}. */
        public Graph build(Buffer hidden, Buffer logits) {
            return new Graph(prologue, kinds, layers, epilogue, Optional.of(hidden), logits);
        }
    }
}
