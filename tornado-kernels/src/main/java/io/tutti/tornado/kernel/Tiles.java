package io.tutti.tornado.kernel;

import io.tutti.engine.layout.Tile;

/** Where numbers lie in the tiles of 32 rows that weights are packed in; see {@link Tile}. */
final class Tiles {

    static final int ROWS = Tile.ROWS;

    /** The row that shares an int with row i of the 16-bit formats is row i + PAIRS. */
    static final int PAIRS = Tile.HALF;

    /** Columns that share an int of the 4-bit format. */
    static final int NIBBLES = Tile.NIBBLES;

    private static final int ROWS_SHIFT = 5;

    private Tiles() {}

    /** Tiles of a matrix. */
    static int count(int rows) {
        return (rows + ROWS - 1) >> ROWS_SHIFT;
    }

    /** Words of {@value #NIBBLES} columns in a row. */
    static int words(int cols) {
        return (cols + NIBBLES - 1) / NIBBLES;
    }

    /** The element of an f32 matrix in row {@code row} and column {@code k}. */
    static int f32(int row, int cols, int k) {
        return ((row >> ROWS_SHIFT) * cols + k) * ROWS + (row & (ROWS - 1));
    }

    /** The pair of a 16-bit matrix that has row {@code row} and column {@code k}, by {@link #halfShift} of the row. */
    static int halves(int row, int cols, int k) {
        return ((row >> ROWS_SHIFT) * cols + k) * PAIRS + (row & (PAIRS - 1));
    }

    /** How far up in its pair a row is: 0 or 16. */
    static int halfShift(int row) {
        return row & PAIRS;
    }

    /** A nibble's value, two's complement. */
    static float nibble(int word, int place) {
        return (float) (word << (28 - 4 * place) >> 28);
    }
}
