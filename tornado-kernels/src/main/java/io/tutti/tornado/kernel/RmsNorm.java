package io.tutti.tornado.kernel;

import static io.tutti.tornado.kernel.Fma.fma;

import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.math.TornadoMath;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/**
 * {@code out[t] = in[t] / sqrt(mean of in[t]^2 + eps) * scale}, of whole rows or of each head by itself, in place if wished.
 * A work-group a head: each of its lanes sums the squares of one segment, all of them add the segments' sums in order, and
 * each scales its share of the head.
 */
public final class RmsNorm {

    private static final int LANES = 64;

    private RmsNorm() {}

    /** A work-group of {@value #LANES} for each head of each row; a row that is normalized as a whole has one. */
    public static Grid grid(int rows, int heads) {
        return new Grid(Math.multiplyExact(rows, LANES), heads, 1, LANES, 1, 1);
    }

    /**
     * Rows of tokens or outputs.
     *
     * @param scalesAt where the scales begin in {@code values}, {@code [layers][heads][width]}
     * @param heads of a row, which lie side by side
     * @param width of a head
     */
    public static void rows(
            KernelContext context,
            IntArray step,
            IntArray layer,
            IntArray launches,
            FloatArray values,
            int scalesAt,
            float eps,
            int count,
            int heads,
            int width,
            int inAt,
            int inStride,
            int outAt,
            int outStride,
            int task) {
        Launches.count(context, launches, task);
        int lane = context.localIdx;
        int row = context.groupIdx;
        int head = context.groupIdy;
        float[] sums = context.allocateFloatLocalArray(LANES);
        if (row < step.get(count)) {
            int in = inAt + row * inStride + head * width;
            int out = outAt + row * outStride + head * width;
            float total = 0f;
            for (int from = 0; from < width; from += LANES * Segments.SIZE) {
                int begin = from + lane * Segments.SIZE;
                int end = TornadoMath.min(width, begin + Segments.SIZE);
                float sum = 0f;
                for (int i = begin; i < end; i++) {
                    float x = values.get(in + i);
                    sum = fma(x, x, sum);
                }
                sums[lane] = sum;
                context.localBarrier();
                int segments = TornadoMath.min(LANES, Segments.count(width - from));
                for (int s = 0; s < segments; s++) {
                    total = total + sums[s];
                }
                context.localBarrier();
            }
            if (inAt == outAt) {
                // What another lane has read is overwritten; the barriers above are for local memory alone.
                context.globalBarrier();
            }
            float r = 1f / TornadoMath.sqrt(total / (float) width + eps);
            int scale = scalesAt + (layer.get(0) * heads + head) * width;
            for (int i = lane; i < width; i += LANES) {
                values.set(out + i, (values.get(in + i) * r) * values.get(scale + i));
            }
        }
    }
}
