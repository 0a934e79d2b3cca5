package io.tutti.modelio.weights;

import io.tutti.modelio.dtype.Dtype;

/** How a matrix's values are stored. */
public sealed interface WeightFormat {

    /** Floats of a type: F32, F16 or BF16. */
    record Dense(Dtype dtype) implements WeightFormat {}

    /** Four-bit integers with an f16 scale for every {@code group} columns of a row. */
    record Int4(int group) implements WeightFormat {}

    /** How {@code weight} is stored. */
    static WeightFormat of(Weight weight) {
        return switch (weight) {
            case DenseWeight dense -> new Dense(dense.dtype());
            case Int4Weight int4 -> new Int4(int4.group());
        };
    }
}
