package io.tutti.tornado.kernel;

import static io.tutti.tornado.kernel.Fma.fma;

import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.math.TornadoMath;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/**
 * {@code out[t, n] = dot(weight[n], in[t])} of int4 weights and rows that {@link QuantizeRows} has left. A work-item takes a row
 * of the weight and a token. The dot of a run's integers is an integer below 2^24: as a float it is exact in any order.
 */
public final class MatMulInt8 {

    private static final int ROWS = Tiles.ROWS;

    private MatMulInt8() {}

    /** A work-group a tile. */
    public static Grid grid(int tokens, int rows) {
        return new Grid(Tiles.count(rows) * ROWS, tokens, 1, ROWS, 1, 1);
    }

    /**
     * The product.
     *
     * @param weights nibbles, {@code [layers][tiles][ceil(cols / 8)][32]}
     * @param scales f16 in pairs, {@code [layers][tiles][cols / group][16]}
     * @param group columns that share a scale: even, and a divisor of {@code cols}
     * @param inAt where the quantized rows begin
     * @param biasAt where biases begin in {@code values}, or {@link Bias#NONE}
     * @param add 1 to add the product to what is there, 0 to replace that
     */
    public static void nibbles(
            KernelContext context,
            IntArray step,
            IntArray layer,
            IntArray launches,
            FloatArray values,
            IntArray weights,
            IntArray scales,
            FloatArray tables,
            int group,
            int cols,
            int rows,
            int count,
            int inAt,
            int outAt,
            int outStride,
            int biasAt,
            int add,
            int task) {
        Launches.count(context, launches, task);
        int compact = Tables.form(tables);
        int lane = context.localIdx;
        int tile = context.groupIdx;
        int token = context.globalIdy;
        int row = tile * ROWS + lane;
        if (row < rows && token < step.get(count)) {
            int before = layer.get(0) * Tiles.count(rows) + tile;
            int at = before * Tiles.words(cols) * ROWS + lane;
            int scalesAt = before * (cols / group) * Tiles.PAIRS + (lane & (Tiles.PAIRS - 1));
            int shift = Tiles.halfShift(lane);
            int in = inAt + token * QuantizeRows.stride(cols);
            float total = 0f;
            int end;
            for (int from = 0; from < cols; from = end) {
                end = TornadoMath.min(cols, from + Segments.SIZE);
                float sum = 0f;
                int runEnd;
                for (int run = from; run < end; run = runEnd) {
                    int g = run / group;
                    int block = run / QuantizeRows.BLOCK;
                    runEnd = TornadoMath.min((g + 1) * group, (block + 1) * QuantizeRows.BLOCK);
                    runEnd = TornadoMath.min(runEnd, end);
                    float dot = 0f;
                    for (int k = run; k < runEnd; k++) {
                        int word = weights.get(at + (k >> 3) * ROWS);
                        dot = fma(Tiles.nibble(word, k & (Tiles.NIBBLES - 1)), values.get(in + k), dot);
                    }
                    float scale =
                            Widen.half(tables, Tables.F16, compact, scales.get(scalesAt + g * Tiles.PAIRS), shift);
                    sum = fma(dot, scale * values.get(in + cols + block), sum);
                }
                total = total + sum;
            }
            int out = outAt + token * outStride + row;
            float biased = Bias.added(total, values, Bias.of(biasAt, before), lane);
            values.set(out, add == 0 ? biased : values.get(out) + biased);
        }
    }
}
