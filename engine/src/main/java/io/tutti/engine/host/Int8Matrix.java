package io.tutti.engine.host;

import io.tutti.engine.host.kernel.Int8Gemm;
import io.tutti.engine.host.kernel.Int8Gemv;
import io.tutti.engine.host.kernel.Int8Rows;
import io.tutti.engine.host.kernel.ScaleRuns;
import io.tutti.engine.host.kernel.Tile;
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

    /** Writes the products of a tile, {@code [rows, 32]}, to {@code y} from {@code yAt} on, padded for {@link Int8Rows}. */
    void multiply(int tile, float[] y, int yAt, Scratch scratch) {
        ScaleRuns runs = input.runs();
        long at = int4.nibblesAt(tile);
        long scalesAt = int4.scalesAt(tile);
        if (input.rows() == 1) {
            Arrays.fill(y, yAt, yAt + Tile.ROWS, 0f);
            for (int s = 0; s < runs.segments(); s++) {
                Int8Gemv.segment(
                        int4.data(),
                        at,
                        int4.scales(),
                        scalesAt,
                        runs,
                        s,
                        input.integers(),
                        input.starts(),
                        input.scales(),
                        y,
                        yAt);
            }
            return;
        }
        int[] nibbles = scratch.nibbles(Int8Gemm.UNPACKED);
        float[] scales = scratch.weights(Int8Gemm.scales(runs));
        float[] sums = scratch.sums(Int8Gemm.SUMS);
        Arrays.fill(y, yAt, yAt + Int8Rows.padded(input.rows()) * Tile.ROWS, 0f);
        for (int s = 0; s < runs.segments(); s++) {
            Int8Gemm.unpack(int4.data(), at, int4.scales(), scalesAt, runs, s, nibbles, scales);
            Int8Gemm.accumulate(nibbles, scales, runs, s, input.integers(), input.scales(), input.rows(), sums, y, yAt);
        }
    }
}
