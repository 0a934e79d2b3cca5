package io.tutti.modelio.weights;

import java.nio.file.Path;

/**
 * A matrix [rows, cols] in the form that it is stored in; each row belongs to one output. Its memory is the caller's
 * to close once the values are repacked.
 */
public sealed interface Weight extends AutoCloseable permits DenseWeight, Int4Weight {
    /** The tensor's name in the checkpoint, without the suffixes of int4's two tensors. */
    String name();

    /** The file it came from, for messages. */
    Path file();

    int rows();

    int cols();

    /** Some of the rows, as a weight of their own name, which takes this one's place: it is closed in its stead. */
    Weight rows(String name, int first, int count);

    /** Lets the memory go. */
    @Override
    void close();
}
