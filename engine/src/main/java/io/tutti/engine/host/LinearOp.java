package io.tutti.engine.host;

import io.tutti.engine.graph.Buffer;
import io.tutti.engine.host.kernel.Elementwise;
import io.tutti.engine.host.kernel.Gemm;
import io.tutti.engine.layout.Tile;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Linear layers over the same input, in one hand-over to the workers. A task is a tile of weights or two, with all rows of
 * activations: one or a few are multiplied straight from memory, many share each tile as it is widened.
 */
final class LinearOp implements HostOp {

    /**
     * A linear layer's weight, {@code [rows, cols]}, and what is added to its product.
     *
     * @param bias {@code [rows]}, in whole tiles; empty if nothing is added
     */
    record Layer(LinearWeight weight, float[] bias) {

        private static final float[] NONE = {};

        /** A layer without bias. */
        Layer(LinearWeight weight) {
            this(weight, NONE);
        }

        /** A layer whose bias, {@code [rows]}, ends where the rows do. */
        static Layer of(LinearWeight weight, float[] bias) {
            return new Layer(weight, Arrays.copyOf(bias, weight.tiles() * Tile.ROWS));
        }

        /** Adds the bias of a tile's rows to its products, {@code [tokens, 32]}. */
        private void addBias(int tile, int tokens, float[] y, int yAt) {
            for (int t = 0; t < tokens && bias.length > 0; t++) {
                Elementwise.add(y, yAt + t * Tile.ROWS, bias, tile * Tile.ROWS, Tile.ROWS);
            }
        }
    }

    /** What becomes of a linear layer's product. */
    sealed interface Part {

        /** The layer. */
        Layer layer();

        /** What the part writes, {@code [tokens, rows]}. */
        Buffer out();

        /** The weight, {@code [rows, cols]}. */
        default LinearWeight weight() {
            return layer().weight();
        }

        /** The product is kept. */
        record Store(Layer layer, Buffer out) implements Part {}

        /** The product is added to what {@code out} holds. */
        record AddTo(Layer layer, Buffer out) implements Part {}

        /** SwiGLU of the product, and of that of {@code up}, which has as many rows, is kept. */
        record Gate(Layer layer, Layer up, Buffer out) implements Part {}
    }

    private final Buffer in;
    private final List<Part> parts;
    /** Where those of the weights that take it in int8 find the input. */
    private final List<QuantizedRows> quantized;
    /** Whether others take it as it is. */
    private final boolean floats;

    LinearOp(Buffer in, List<Part> parts) {
        this.in = in;
        this.parts = List.copyOf(parts);
        List<LinearWeight> weights = parts.stream().flatMap(LinearOp::weights).toList();
        quantized = weights.stream()
                .filter(Int8Matrix.class::isInstance)
                .map(weight -> ((Int8Matrix) weight).input())
                .distinct()
                .toList();
        floats = weights.stream().anyMatch(PackedMatrix.class::isInstance);
    }

    private static Stream<LinearWeight> weights(Part part) {
        return part instanceof Part.Gate gate
                ? Stream.of(gate.weight(), gate.up().weight())
                : Stream.of(part.weight());
    }

    @Override
    public void run(Step step) {
        int rows = step.rows(in);
        if (rows == 0) {
            return;
        }
        quantized.forEach(input -> input.quantize(step.data(in), rows, step));
        float[] x = rows == 1 || !floats ? step.data(in) : packed(step, rows);
        float[][] outs = new float[parts.size()][];
        int[] ends = new int[parts.size()];
        int tiles = 0;
        boolean pairs = false;
        for (int p = 0; p < outs.length; p++) {
            outs[p] = step.data(parts.get(p).out());
            tiles += parts.get(p).weight().tiles();
            ends[p] = tiles;
            pairs |= takesPairs(parts.get(p), rows);
        }
        step.workers().forEachRange(tiles, pairs ? 2 : 1, (from, to, worker) -> {
            for (int i = from, p = 0; i < to; ) {
                while (i >= ends[p]) {
                    p++;
                }
                Part part = parts.get(p);
                int count = takesPairs(part, rows) ? Math.min(to, ends[p]) - i : 1;
                run(part, i - ends[p] + part.weight().tiles(), count, rows, x, outs[p], step.scratch(worker));
                i += count;
            }
        });
    }

    /** The activations as {@link Gemm} takes them. */
    private float[] packed(Step step, int rows) {
        float[] x = step.data(in);
        float[] packed = step.packed(Gemm.padded(rows) * in.width());
        step.workers().forEach(Gemm.blocks(rows), (block, worker) -> Gemm.pack(x, rows, in.width(), block, packed));
        return packed;
    }

    /** Whether a task takes two tiles below each other. */
    private static boolean takesPairs(Part part, int rows) {
        return !(part instanceof Part.Gate) && TileProduct.gainsByPairs(part.weight(), rows);
    }

    /** Multiplies tiles {@code tile} and on, one or two. */
    private static void run(Part part, int tile, int tiles, int rows, float[] x, float[] out, Scratch scratch) {
        LinearWeight weight = part.weight();
        int size = TileProduct.size(rows);
        float[] y = scratch.totals(2 * size);
        if (part instanceof Part.Gate gate) {
            TileProduct.multiply(weight, tile, gate.up().weight(), tile, rows, x, y, scratch);
            gate.layer().addBias(tile, rows, y, 0);
            gate.up().addBias(tile, rows, y, size);
            Elementwise.swiGlu(y, 0, y, size, y, 0, rows * Tile.ROWS, scratch.row(rows * Tile.ROWS));
            write(part, tile, rows, y, 0, out);
            return;
        }
        if (tiles == 2) {
            TileProduct.multiply(weight, tile, weight, tile + 1, rows, x, y, scratch);
        } else {
            TileProduct.multiply(weight, tile, rows, x, y, 0, scratch);
        }
        for (int i = 0; i < tiles; i++) {
            part.layer().addBias(tile + i, rows, y, i * size);
            write(part, tile + i, rows, y, i * size, out);
        }
    }

    /** Puts a tile's products, {@code [rows, 32]}, where they belong. */
    private static void write(Part part, int tile, int rows, float[] y, int yAt, float[] out) {
        int first = tile * Tile.ROWS;
        int count = Math.min(Tile.ROWS, part.weight().rows() - first);
        for (int t = 0; t < rows; t++) {
            int from = yAt + t * Tile.ROWS;
            int to = t * part.weight().rows() + first;
            if (part instanceof Part.AddTo) {
                Elementwise.add(out, to, y, from, count);
            } else {
                System.arraycopy(y, from, out, to, count);
            }
        }
    }
}
