package io.tutti.engine.host;

import io.tutti.engine.host.kernel.Gemm;
import io.tutti.engine.host.kernel.Runs;
import io.tutti.engine.host.kernel.Tile;
import io.tutti.engine.reference.Numerics;
import java.util.Arrays;

/**
 * One tile, or two over the same input, times one or several rows of activations. A row is taken as it is, {@code [cols]};
 * several are packed for {@link Gemm}; an {@link Int8Matrix} has its own. A tile's products are {@link #size} numbers, {@code [rows, 32]} with rows padded for
 * {@link Gemm}; a second tile's lie behind the first's.
 */
final class TileProduct {

    private TileProduct() {}

    /** Numbers that a tile's products with so many rows take. */
    static int size(int rows) {
        return (rows == 1 ? 1 : Gemm.padded(rows)) * Tile.ROWS;
    }

    /** Whether a tile alone has as many runs of columns as go side by side, or is not summed so. */
    static boolean hasRuns(LinearWeight weight) {
        return weight instanceof Int8Matrix || weight.cols() >= Runs.MOST * Numerics.SEGMENT;
    }

    /** One tile; its products are written to {@code y} from {@code yAt} on. */
    static void multiply(LinearWeight weight, int tile, int rows, float[] x, float[] y, int yAt, Scratch scratch) {
        switch (weight) {
            case PackedMatrix matrix -> multiply(matrix, tile, rows, x, y, yAt, scratch);
            case Int8Matrix matrix -> matrix.multiply(tile, y, yAt, scratch);
        }
    }

    private static void multiply(
            PackedMatrix matrix, int tile, int rows, float[] x, float[] y, int yAt, Scratch scratch) {
        Arrays.fill(y, yAt, yAt + size(rows), 0f);
        if (rows > 1) {
            float[] columns = scratch.weights(Numerics.SEGMENT * Tile.ROWS); // [256, 32]
            for (int k = 0; k < matrix.cols(); k += Numerics.SEGMENT) {
                int n = Math.min(Numerics.SEGMENT, matrix.cols() - k);
                matrix.widen(tile, k, n, columns);
                Gemm.accumulate(columns, n, x, k, rows, y, yAt);
            }
            return;
        }
        Runs runs = scratch.runs();
        for (int k = 0; k < matrix.cols(); ) {
            int n = Math.min(Numerics.SEGMENT, matrix.cols() - k);
            runs.clear();
            do {
                matrix.addRun(runs, tile, k);
                k += n;
            } while (runs.count() < Runs.MOST && matrix.cols() - k >= Numerics.SEGMENT);
            matrix.sum(runs, x, n);
            for (int i = 0; i < runs.count(); i++) {
                runs.addTo(i, y, yAt);
            }
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
        if (rows > 1
                || !(weight instanceof PackedMatrix matrix)
                || !(otherWeight instanceof PackedMatrix other)
                || !matrix.isStoredAs(other)) {
            multiply(weight, tile, rows, x, y, 0, scratch);
            multiply(otherWeight, otherTile, rows, x, y, size(rows), scratch);
            return;
        }
        Arrays.fill(y, 0, 2 * Tile.ROWS, 0f);
        Runs runs = scratch.runs();
        for (int k = 0; k < matrix.cols(); ) {
            int n = Math.min(Numerics.SEGMENT, matrix.cols() - k);
            runs.clear();
            do {
                matrix.addRun(runs, tile, k);
                other.addRun(runs, otherTile, k);
                k += n;
            } while (runs.count() < Runs.MOST && matrix.cols() - k >= Numerics.SEGMENT);
            matrix.sum(runs, x, n);
            for (int i = 0; i < runs.count(); i++) {
                runs.addTo(i, y, i % 2 * Tile.ROWS);
            }
        }
    }
}
