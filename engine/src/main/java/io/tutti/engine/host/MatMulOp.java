package io.tutti.engine.host;

import io.tutti.engine.graph.Buffer;
import io.tutti.engine.host.kernel.Gemm;
import io.tutti.engine.host.kernel.Tile;
import io.tutti.engine.reference.Numerics;
import java.util.Arrays;

/**
 * A linear layer. Workers take a tile of weights each; a lone row is multiplied straight from memory, several rows share each
 * tile as it is widened, four at a time.
 */
record MatMulOp(Buffer in, PackedMatrix weight, Buffer out) implements HostOp {

    @Override
    public void run(Step step) {
        int rows = step.rows(in);
        float[] x = step.data(in);
        float[] y = step.data(out);
        if (rows == 1) {
            step.workers().forEach(weight.tiles(), (tile, worker) -> one(tile, x, y, step.scratch(worker)));
        } else if (rows > 1) {
            step.workers().forEach(weight.tiles(), (tile, worker) -> many(tile, rows, x, y, step.scratch(worker)));
        }
    }

    private void one(int tile, float[] x, float[] y, Scratch scratch) {
        float[] totals = scratch.totals(Tile.ROWS);
        weight.multiply(tile, x, totals);
        store(tile, totals, 0, y, 0);
    }

    private void many(int tile, int rows, float[] x, float[] y, Scratch scratch) {
        int groups = (rows + Gemm.TOKENS - 1) / Gemm.TOKENS;
        float[] columns = scratch.weights(Numerics.SEGMENT * Tile.ROWS); // [256, 32]
        float[] totals = scratch.totals(groups * Gemm.TOKENS * Tile.ROWS); // [groups * 4, 32]
        Arrays.fill(totals, 0, groups * Gemm.TOKENS * Tile.ROWS, 0f);
        int width = weight.cols();
        for (int k = 0; k < width; k += Numerics.SEGMENT) {
            int n = Math.min(Numerics.SEGMENT, width - k);
            weight.widen(tile, k, n, columns);
            for (int t = 0; t < rows; t += Gemm.TOKENS) {
                // Past the last row the last row is multiplied again, and its sums are not stored.
                int x1 = Math.min(t + 1, rows - 1) * width + k;
                int x2 = Math.min(t + 2, rows - 1) * width + k;
                int x3 = Math.min(t + 3, rows - 1) * width + k;
                Gemm.accumulate(columns, n, x, t * width + k, x1, x2, x3, totals, t * Tile.ROWS);
            }
        }
        for (int t = 0; t < rows; t++) {
            store(tile, totals, t * Tile.ROWS, y, t * weight.rows());
        }
    }

    private void store(int tile, float[] totals, int from, float[] y, int rowAt) {
        int first = tile * Tile.ROWS;
        System.arraycopy(totals, from, y, rowAt + first, Math.min(Tile.ROWS, weight.rows() - first));
    }
}
