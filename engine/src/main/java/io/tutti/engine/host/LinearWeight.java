package io.tutti.engine.host;

import io.tutti.engine.layout.TilePacker;

/** What a linear layer multiplies its input by, {@code [rows, cols]}, in {@link io.tutti.engine.layout.Tile}s. */
sealed interface LinearWeight permits PackedMatrix, Int8Matrix {

    int rows();

    int cols();

    default int tiles() {
        return TilePacker.tiles(rows());
    }
}
