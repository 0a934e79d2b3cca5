package io.tutti.tornado.program;

import io.tutti.engine.graph.Graph.Part;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Ops that one task graph runs: the graph's prologue, its epilogue, or those of a kind of layer, once for each of some
 * consecutive layers.
 *
 * @param part the graph's that the ops are
 * @param name a word for task graphs and messages
 * @param firstLayer the first of the layers; empty outside them
 * @param layers how many; 1 outside the layers
 */
record Section(Part part, String name, List<FusedOp> ops, OptionalInt firstLayer, int layers) {

    /** With the next layer too. */
    Section withOneLayerMore() {
        return new Section(part, name, ops, firstLayer, layers + 1);
    }

    /** The layers, or the one empty layer of what lies outside them. */
    Stream<OptionalInt> eachLayer() {
        return firstLayer.isEmpty()
                ? Stream.of(OptionalInt.empty())
                : IntStream.range(0, layers).mapToObj(i -> OptionalInt.of(firstLayer.getAsInt() + i));
    }
}
