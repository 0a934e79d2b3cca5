package io.tutti.engine.host;

import io.tutti.engine.host.kernel.Int8Gemm;
import io.tutti.engine.host.kernel.Int8Gemv;
import io.tutti.engine.host.kernel.Int8Rows;
import io.tutti.engine.host.kernel.ScaleRuns;
import io.tutti.engine.layout.Tile;
import java.util.Arrays;

/**
 * int4 weights that meet activations in int8.
 *
 * @param input the activations, quantized by the time that the matrix is used
 */
record Int8Matrix(PackedMatrix.Int4 int4, QuantizedRows input) implements LinearWeight {

    @Override
    public int rows() {
        return int4.rows();
    }

    @Override
    public int cols() {
        return int4.cols();
    }

    /**
     * Writes the products of a lone row with two tiles, one of this matrix and one of {@code other}, which has the same input,
     * to {@code y}, {@code [2, 32]}.
     */
    void multiply(int tile, Int8Matrix other, int otherTile, float[] y) {
        ScaleRuns runs = input.runs();
        Arrays.fill(y, 0, 2 * Tile.ROWS, 0f);
        for (int s = 0; s < runs.segments(); s++) {
            Int8Gemv.segment(
                    int4.data(),
                    int4.nibblesAt(tile),
                    int4.scales(),
                    int4.scalesAt(tile),
                    other.int4.data(),
                    other.int4.nibblesAt(otherTile),
                    other.int4.scales(),
                    other.int4.scalesAt(otherTile),
                    runs,
                    s,
                    input.integers(),
                    input.starts(),
                    input.scales(),
                    y,
                    0);
        }
    }

    /** Writes the products of a tile, {@code [rows, 32]}, to {@code y} from {@code yAt} on, padded for {@link Int8Rows}. */
    void multiply(int tile, float[] y, int yAt, Scratch scratch) {
        ScaleRuns runs = input.runs();
        if (input.rows() == 1) {
            float[] both = scratch.sums(2 * Tile.ROWS);
            multiply(tile, this, tile, both);
            System.arraycopy(both, 0, y, yAt, Tile.ROWS);
            return;
        }
        int[] nibbles = scratch.nibbles(Int8Gemm.UNPACKED);
        float[] scales = scratch.weights(Int8Gemm.scales(runs));
        float[] sums = scratch.sums(Int8Gemm.SUMS);
        Arrays.fill(y, yAt, yAt + Int8Rows.padded(input.rows()) * Tile.ROWS, 0f);
        for (int s = 0; s < runs.segments(); s++) {
            Int8Gemm.unpack(
                    int4.data(), int4.nibblesAt(tile), int4.scales(), int4.scalesAt(tile), runs, s, nibbles, scales);
            Int8Gemm.accumulate(nibbles, scales, runs, s, input.integers(), input.scales(), input.rows(), sums, y, yAt);
        }
    }
}
