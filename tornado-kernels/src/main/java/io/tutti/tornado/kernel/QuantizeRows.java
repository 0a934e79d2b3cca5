package io.tutti.tornado.kernel;

import io.tutti.engine.numerics.Int8Activations;
import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.math.TornadoMath;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/**
 * Rows of activations become integers with a scale for each block of 32 columns, see {@link Int8Activations}. Integers and
 * scales are floats both, which hold them exactly: a row is its {@code cols} integers and behind them its scales.
 */
public final class QuantizeRows {

    static final int BLOCK = Int8Activations.BLOCK;

    // Literals, as in Exponential.
    private static final float LARGEST = 127f;
    private static final float MOST = 0x1.fffffep127f;

    private QuantizeRows() {}

    /** A work-item a block. */
    public static Grid grid(int rows, int cols) {
        return Grid.over(blocks(cols), rows, 1);
    }

    /** Numbers from one quantized row to the next. */
    public static int stride(int cols) {
        return cols + blocks(cols);
    }

    static int blocks(int cols) {
        return (cols + BLOCK - 1) / BLOCK;
    }

    /**
     * Quantizes rows of the step.
     *
     * @param outAt where the quantized rows begin, {@link #stride} apart
     */
    public static void rows(
            KernelContext context,
            IntArray step,
            IntArray launches,
            FloatArray values,
            FloatArray tables,
            int count,
            int cols,
            int inAt,
            int inStride,
            int outAt,
            int task) {
        Launches.count(context, launches, task);
        int block = context.globalIdx;
        int row = context.globalIdy;
        if (block < blocks(cols) && row < step.get(count)) {
            int from = block * BLOCK;
            int end = TornadoMath.min(cols, from + BLOCK);
            int in = inAt + row * inStride;
            int out = outAt + row * stride(cols);
            float largest = 0f;
            int finite = 1;
            for (int k = from; k < end; k++) {
                float x = values.get(in + k);
                float magnitude = x < 0f ? -x : x;
                largest = magnitude > largest ? magnitude : largest;
                finite = Float.isNaN(x) ? 0 : finite;
            }
            finite = largest > MOST ? 0 : finite;
            float scale = largest / LARGEST;
            // One is as good as any divisor where all become zero.
            float some = scale > 0f ? 1f : 0f;
            float keep = finite == 1 ? some : 0f;
            float divisor = keep > 0f ? scale : 1f;
            for (int k = from; k < end; k++) {
                float x = keep > 0f ? values.get(in + k) : 0f;
                float rounded = (x / divisor + Exponential.ROUND) - Exponential.ROUND;
                rounded = rounded > LARGEST ? LARGEST : rounded;
                rounded = rounded < -LARGEST ? -LARGEST : rounded;
                values.set(out + k, rounded);
            }
            values.set(out + cols + block, finite == 1 ? scale : tables.get(Tables.NAN));
        }
    }
}
