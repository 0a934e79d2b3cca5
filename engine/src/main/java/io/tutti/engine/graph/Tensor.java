package io.tutti.engine.graph;

import java.util.OptionalInt;

/** Where the values of a weight come from: a tensor of the checkpoint, or part of one. */
public sealed interface Tensor {

    /** A text that no other expression has; the name of the tensor itself, if it is taken as it is. */
    String text();

    /** The tensor in the checkpoint. */
    Stored stored();

    /** The same in a layer, whose number goes in the place of {@link Weight#LAYER}. */
    Tensor in(OptionalInt layer);

    /** A tensor as it is stored. */
    record Stored(String name) implements Tensor {

        @Override
        public String text() {
            return name;
        }

        @Override
        public Stored stored() {
            return this;
        }

        @Override
        public Stored in(OptionalInt layer) {
            return layer.isPresent()
                    ? new Stored(name.replace(Weight.LAYER, Integer.toString(layer.getAsInt())))
                    : this;
        }
    }

    /**
     * Rows of a matrix that holds several, or elements of such a vector. How many there are is the weight's to say.
     *
     * @param first the number of the first
     * @param all how many the whole has
     */
    record RowsOf(Stored stored, int first, int all) implements Tensor {

        @Override
        public String text() {
            return stored.name() + " from row " + first + " of " + all;
        }

        @Override
        public RowsOf in(OptionalInt layer) {
            return new RowsOf(stored.in(layer), first, all);
        }
    }
}
