package io.tutti.tornado.kernel;

import static io.tutti.tornado.kernel.Fma.fma;

import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.math.TornadoMath;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/**
 * {@code out[t] = in[t] / sqrt(mean of in[t]^2 + eps) * scale}. A work-group a row: each of its lanes sums the squares of
 * one segment, all of them add the segments' sums in order, and each scales its share of the row.
 */
public final class RmsNorm {

    private static final int LANES = 64;

    private RmsNorm() {}

    /** A work-group of {@value #LANES} a row. */
    public static Grid grid(int rows) {
        return new Grid(Math.multiplyExact(rows, LANES), 1, 1, LANES, 1, 1);
    }

    /**
     * Rows of tokens or outputs.
     *
     * @param scales {@code [layers][width]}
     */
    public static void rows(
            KernelContext context,
            IntArray step,
            IntArray layer,
            IntArray launches,
            FloatArray values,
            FloatArray scales,
            float eps,
            int count,
            int width,
            int inAt,
            int inStride,
            int outAt,
            int outStride,
            int task) {
        Launches.count(context, launches, task);
        int lane = context.localIdx;
        int row = context.groupIdx;
        float[] sums = context.allocateFloatLocalArray(LANES);
        if (row < step.get(count)) {
            int in = inAt + row * inStride;
            int out = outAt + row * outStride;
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
            float r = 1f / TornadoMath.sqrt(total / (float) width + eps);
            int scale = layer.get(0) * width;
            for (int i = lane; i < width; i += LANES) {
                values.set(out + i, (values.get(in + i) * r) * scales.get(scale + i));
            }
        }
    }
}
