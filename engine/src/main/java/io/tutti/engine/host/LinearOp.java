package io.tutti.engine.host;

import io.tutti.engine.graph.Buffer;
import io.tutti.engine.host.kernel.Elementwise;
import io.tutti.engine.host.kernel.Gemm;
import io.tutti.engine.host.kernel.Tile;
import io.tutti.engine.reference.Numerics;
import java.util.Arrays;
import java.util.List;

/**
 * Linear layers over the same input. Workers take a tile of weights each; a lone row is multiplied straight from memory,
 * several rows share each tile as it is widened.
 */
final class LinearOp implements HostOp {

    /** A tile's products, and where they go. */
    sealed interface Part {

        /** Whose rows the part writes. */
        PackedMatrix weight();

        /** Where it writes them. */
        Buffer out();

        /** The product itself. */
        record Store(PackedMatrix weight, Buffer out) implements Part {}

        /** The product, added to what {@code out} holds. */
        record AddTo(PackedMatrix weight, Buffer out) implements Part {}

        /** SwiGLU of the product, and of that of {@code up}, which has as many rows. */
        record Gate(PackedMatrix weight, PackedMatrix up, Buffer out) implements Part {}
    }

    private final Buffer in;
    private final List<Part> parts;

    LinearOp(Buffer in, List<Part> parts) {
        this.in = in;
        this.parts = List.copyOf(parts);
    }

    @Override
    public void run(Step step) {
        int rows = step.rows(in);
        if (rows == 0) {
            return;
        }
        float[] x = rows == 1 ? step.data(in) : packed(step, rows);
        float[][] outs = new float[parts.size()][];
        int[] ends = new int[parts.size()];
        int tiles = 0;
        for (int p = 0; p < outs.length; p++) {
            outs[p] = step.data(parts.get(p).out());
            tiles += parts.get(p).weight().tiles();
            ends[p] = tiles;
        }
        step.workers().forEach(tiles, (i, worker) -> {
            int p = 0;
            while (i >= ends[p]) {
                p++;
            }
            Part part = parts.get(p);
            finish(part, i - ends[p] + part.weight().tiles(), rows, x, outs[p], step.scratch(worker));
        });
    }

    /** The activations as {@link Gemm} takes them. */
    private float[] packed(Step step, int rows) {
        float[] x = step.data(in);
        float[] packed = step.packed(Gemm.padded(rows) * in.width());
        step.workers().forEach(Gemm.blocks(rows), (block, worker) -> Gemm.pack(x, rows, in.width(), block, packed));
        return packed;
    }

    private static void finish(Part part, int tile, int rows, float[] x, float[] out, Scratch scratch) {
        int n = rows * Tile.ROWS;
        float[] totals = scratch.totals(Gemm.padded(rows) * Tile.ROWS);
        multiply(part.weight(), tile, rows, x, totals, scratch);
        switch (part) {
            case Part.Store _ -> {}
            case Part.Gate gate -> {
                float[] ups = scratch.ups(Gemm.padded(rows) * Tile.ROWS);
                multiply(gate.up(), tile, rows, x, ups, scratch);
                Elementwise.swiGlu(totals, ups, totals, 0, n, scratch.row(n));
            }
            case Part.AddTo _ -> {}
        }
        int width = part.weight().rows();
        int first = tile * Tile.ROWS;
        int count = Math.min(Tile.ROWS, width - first);
        for (int t = 0; t < rows; t++) {
            int to = t * width + first;
            if (part instanceof Part.AddTo) {
                Elementwise.add(out, to, totals, t * Tile.ROWS, count);
            } else {
                System.arraycopy(totals, t * Tile.ROWS, out, to, count);
            }
        }
    }

    /**
     * Writes a tile's products to {@code totals}, {@code [rows, 32]}, padded for {@link Gemm}.
     *
     * @param x the row, or several rows packed for {@link Gemm}
     */
    private static void multiply(PackedMatrix weight, int tile, int rows, float[] x, float[] totals, Scratch scratch) {
        if (rows == 1) {
            weight.multiply(tile, x, totals);
            return;
        }
        float[] columns = scratch.weights(Numerics.SEGMENT * Tile.ROWS); // [256, 32]
        Arrays.fill(totals, 0, Gemm.padded(rows) * Tile.ROWS, 0f);
        int width = weight.cols();
        for (int k = 0; k < width; k += Numerics.SEGMENT) {
            int n = Math.min(Numerics.SEGMENT, width - k);
            weight.widen(tile, k, n, columns);
            Gemm.accumulate(columns, n, x, k, rows, totals);
        }
    }
}
