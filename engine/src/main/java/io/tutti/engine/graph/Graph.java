package io.tutti.engine.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
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

    public Graph {
        prologue = List.copyOf(prologue);
        layer = List.copyOf(layer);
        epilogue = List.copyOf(epilogue);
        Objects.requireNonNull(hidden, "hidden");
        if (logits.rows() != Rows.OUTPUTS) {
            throw new IllegalArgumentException("logits must have a row for each output, not for each token");
        }
    }

    /** Every op once: the prologue's, one layer's, the epilogue's. */
    public Stream<Op> ops() {
        return Stream.of(prologue, layer, epilogue).flatMap(List::stream);
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
            layers = count;
            layer.addAll(List.of(ops));
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
