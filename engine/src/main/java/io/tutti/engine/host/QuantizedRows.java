package io.tutti.engine.host;

import io.tutti.engine.host.kernel.Gemm;
import io.tutti.engine.host.kernel.Int8Rows;
import io.tutti.engine.host.kernel.ScaleRuns;
import io.tutti.engine.reference.Int8Activations;

/** The rows that enter int4 matrices of the same runs, in int8. */
final class QuantizedRows {

    private final ScaleRuns runs;
    private int rows;
    private int[] multipliers = {};
    private int[] starts = {};
    private float[] integers = {};
    private float[] packed = {};
    private float[] scales = {};

    QuantizedRows(ScaleRuns runs) {
        this.runs = runs;
    }

    /** Quantizes rows {@code [rows, cols]} of {@code x}: multipliers for a lone one, packed if there are several. */
    void quantize(float[] x, int count, Step step) {
        rows = count;
        int cols = runs.cols();
        if (count == 1) {
            multipliers = Scratch.room(multipliers, runs.entries() * Int8Rows.PAIRS);
            starts = Scratch.room(starts, runs.count());
            scales = Scratch.room(scales, runs.count());
            int[] q = step.scratch(0).integers(Int8Rows.words(cols));
            float[] blockScales = step.scratch(0).row(Int8Activations.blocks(cols));
            Int8Rows.quantize(x, 0, cols, q, blockScales);
            Int8Rows.multipliers(runs, q, blockScales, multipliers, starts, scales);
            return;
        }
        int padded = Gemm.padded(count);
        integers = Scratch.room(integers, Math.multiplyExact(count, cols));
        packed = Scratch.room(packed, Math.multiplyExact(padded, cols));
        scales = Scratch.room(scales, Math.multiplyExact(padded, Int8Activations.blocks(cols)));
        step.workers().forEach(Gemm.blocks(count), (block, worker) -> {
            for (int t = Gemm.first(block); t < Gemm.first(block + 1) && t < padded; t++) {
                quantizeRow(x, t, padded, step.scratch(worker));
            }
            Gemm.pack(integers, rows, cols, block, packed);
        });
    }

    /** One row of several; one that only pads gets scales of 0. */
    private void quantizeRow(float[] x, int row, int padded, Scratch scratch) {
        int cols = runs.cols();
        float[] blockScales = scratch.row(Int8Activations.blocks(cols));
        if (row < rows) {
            int[] q = scratch.integers(Int8Rows.words(cols));
            Int8Rows.quantize(x, row * cols, cols, q, blockScales);
            for (int k = 0; k < cols; k++) {
                integers[row * cols + k] = q[k];
            }
        }
        for (int b = 0; b < Int8Activations.blocks(cols); b++) {
            scales[b * padded + row] = row < rows ? blockScales[b] : 0;
        }
    }

    ScaleRuns runs() {
        return runs;
    }

    int rows() {
        return rows;
    }

    /** A lone row's multipliers, see {@link Int8Rows#multipliers}. */
    int[] multipliers() {
        return multipliers;
    }

    /** A lone row's starts. */
    int[] starts() {
        return starts;
    }

    /** Several rows' integers, packed for {@link Gemm}. */
    float[] packed() {
        return packed;
    }

    /** The scales of a lone row's runs; or those of several rows, {@code [blocks of 32 columns][padded rows]}. */
    float[] scales() {
        return scales;
    }
}
