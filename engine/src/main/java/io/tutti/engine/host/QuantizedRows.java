package io.tutti.engine.host;

import io.tutti.engine.host.kernel.Int8Rows;
import io.tutti.engine.host.kernel.ScaleRuns;
import io.tutti.engine.numerics.Int8Activations;
import io.tutti.engine.numerics.Numerics;

/** The rows that enter int4 matrices of the same runs, in int8. */
final class QuantizedRows {

    private final ScaleRuns runs;
    private int rows;
    private int[] integers = {};
    private int[] starts = {};
    private float[] scales = {};

    QuantizedRows(ScaleRuns runs) {
        this.runs = runs;
    }

    /** Quantizes rows {@code [rows, cols]} of {@code x}: multipliers for a lone one, packed if there are several. */
    void quantize(float[] x, int count, Step step) {
        rows = count;
        if (count == 1) {
            integers = Scratch.room(integers, runs.entries() * Int8Rows.PAIRS);
            starts = Scratch.room(starts, runs.count());
            scales = Scratch.room(scales, runs.count());
            int[] q = step.scratch(0).integers(Int8Rows.words(runs.cols()));
            float[] blockScales = step.scratch(0).row(Int8Activations.blocks(runs.cols()));
            Int8Rows.quantize(x, 0, runs.cols(), q, blockScales);
            Int8Rows.multipliers(runs, q, blockScales, integers, starts, scales);
            return;
        }
        int padded = Int8Rows.padded(count);
        integers = Scratch.room(integers, Math.multiplyExact(padded, runs.entries() * Int8Rows.PAIRS));
        scales = Scratch.room(scales, Math.multiplyExact(padded, runs.count()));
        step.workers().forEach(Int8Rows.blocks(count), (block, worker) -> pack(block, x, step.scratch(worker)));
    }

    private void pack(int block, float[] x, Scratch scratch) {
        int[] q = scratch.integers(Numerics.SEGMENT);
        float[] blockScales = scratch.row(Int8Activations.blocks(Numerics.SEGMENT));
        int[] pairs = scratch.nibbles(Int8Rows.segmentOfBlock(runs));
        Int8Rows.pack(x, rows, runs, block, q, blockScales, pairs, integers, scales);
    }

    ScaleRuns runs() {
        return runs;
    }

    int rows() {
        return rows;
    }

    /** Multipliers or pairs, see {@link Int8Rows}. */
    int[] integers() {
        return integers;
    }

    /** A lone row's starts. */
    int[] starts() {
        return starts;
    }

    /** The scales of the runs. */
    float[] scales() {
        return scales;
    }
}
