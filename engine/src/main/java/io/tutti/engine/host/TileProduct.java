package io.tutti.engine.host;

import io.tutti.engine.host.kernel.Gemm;
import io.tutti.engine.host.kernel.Runs;
import io.tutti.engine.layout.Tile;
import io.tutti.engine.numerics.Numerics;
import java.util.Arrays;

/**
 * One tile, or two over the same input, times one or several rows of activations. A row is taken as it is, {@code [cols]};
 * several are packed for {@link Gemm}; an {@link Int8Matrix} has its own. A tile's products are {@link #size} numbers,
 * {@code [rows, 32]} with rows padded for {@link Gemm}; a second tile's lie behind the first's.
 */
final class TileProduct {

    private TileProduct() {}

    /** Numbers that a tile's products with so many rows take. */
    static int size(int rows) {
        return (rows == 1 ? 1 : Gemm.padded(rows)) * Tile.ROWS;
    }

    /** Whether two tiles of the weight give more runs of columns to go side by side than one does. */
    static boolean gainsByPairs(LinearWeight weight, int rows) {
        return switch (weight) {
            case PackedMatrix matrix ->
                rows == 1 ? matrix.cols() < Runs.MOST * Numerics.SEGMENT : rows <= matrix.mostTokens();
            case Int8Matrix _ -> rows == 1;
        };
    }

    /** One tile; its products are written to {@code y} from {@code yAt} on. */
    static void multiply(LinearWeight weight, int tile, int rows, float[] x, float[] y, int yAt, Scratch scratch) {
        switch (weight) {
            case PackedMatrix matrix
            when rows <= matrix.mostTokens() -> sumRuns(matrix, tile, 1, matrix, tile, rows, x, y, yAt, scratch);
            case PackedMatrix matrix -> widen(matrix, tile, rows, x, y, yAt, scratch);
            case Int8Matrix matrix -> matrix.multiply(tile, y, yAt, scratch);
        }
    }

    /** Two tiles of one or two matrices with the same columns; their products are written to {@code y}. */
    static void multiply(
            LinearWeight weight,
            int tile,
            LinearWeight otherWeight,
            int otherTile,
            int rows,
            float[] x,
            float[] y,
            Scratch scratch) {
        if (weight instanceof PackedMatrix matrix
                && otherWeight instanceof PackedMatrix other
                && matrix.isStoredAs(other)
                && rows <= matrix.mostTokens()) {
            sumRuns(matrix, tile, 2, other, otherTile, rows, x, y, 0, scratch);
        } else if (weight instanceof Int8Matrix matrix
                && otherWeight instanceof Int8Matrix other
                && matrix.input() == other.input()
                && rows == 1) {
            matrix.multiply(tile, other, otherTile, y);
        } else {
            multiply(weight, tile, rows, x, y, 0, scratch);
            multiply(otherWeight, otherTile, rows, x, y, size(rows), scratch);
        }
    }

    /** Straight from memory, several runs of columns of a tile or two at a time. */
    private static void sumRuns(
            PackedMatrix matrix,
            int tile,
            int tiles,
            PackedMatrix other,
            int otherTile,
            int rows,
            float[] x,
            float[] y,
            int yAt,
            Scratch scratch) {
        int size = size(rows);
        Arrays.fill(y, yAt, yAt + tiles * size, 0f);
        Runs runs = scratch.runs();
        for (int k = 0; k < matrix.cols(); ) {
            int n = Math.min(Numerics.SEGMENT, matrix.cols() - k);
            runs.clear();
            do {
                matrix.addRun(runs, tile, k);
                if (tiles == 2) {
                    other.addRun(runs, otherTile, k);
                }
                k += n;
            } while (runs.count() < Runs.MOST && matrix.cols() - k >= Numerics.SEGMENT);
            if (rows == 1) {
                matrix.sum(runs, x, n);
            } else {
                matrix.sumSeveral(runs, x, n);
            }
            for (int i = 0; i < runs.count(); i++) {
                runs.addTo(i, size, y, yAt + i % tiles * size);
            }
        }
    }

    /** By way of a buffer of f32 weights, which all rows share. */
    private static void widen(PackedMatrix matrix, int tile, int rows, float[] x, float[] y, int yAt, Scratch scratch) {
        Arrays.fill(y, yAt, yAt + size(rows), 0f);
        float[] columns = scratch.weights(Numerics.SEGMENT * Tile.ROWS); // [256, 32]
        for (int k = 0; k < matrix.cols(); k += Numerics.SEGMENT) {
            int n = Math.min(Numerics.SEGMENT, matrix.cols() - k);
            matrix.widen(tile, k, n, columns);
            Gemm.accumulate(columns, n, x, k, rows, y, yAt);
        }
    }
}
