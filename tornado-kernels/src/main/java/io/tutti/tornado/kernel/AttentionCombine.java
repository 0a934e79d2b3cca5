package io.tutti.tornado.kernel;

import static io.tutti.tornado.kernel.Fma.fma;

import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/**
 * Joins the segments of {@link Attention}: each is brought to the common maximum and added in ascending order, and the sum is
 * divided by that of the weights. One segment is joined, too: its factor is not always one. Segments before a window do not
 * count.
 */
public final class AttentionCombine {

    private AttentionCombine() {}

    /** A work-item an element of the output. */
    public static Grid grid(int tokens, int heads, int headDim) {
        return Grid.over(headDim, heads, tokens);
    }

    /**
     * The rows of all heads.
     *
     * @param outAt of the output, {@code [tokens][heads][headDim]}
     */
    public static void heads(
            KernelContext context,
            IntArray step,
            IntArray launches,
            FloatArray values,
            FloatArray tables,
            int heads,
            int headDim,
            int window,
            int maxTokens,
            int capacity,
            int partialAt,
            int outAt,
            int outStride,
            int task) {
        Launches.count(context, launches, task);
        int d = context.globalIdx;
        int head = context.globalIdy;
        int t = context.globalIdz;
        if (d < headDim && t < step.get(StepLayout.TOKENS)) {
            int position = step.get(StepLayout.position(maxTokens, t));
            int begin = Attention.firstSegment(position, window);
            int segments = Segments.count(position + 1);
            int partial = partialAt + Attention.partial(t, head, 0, heads, headDim, capacity);
            int stride = headDim + 2;
            float max = Float.NEGATIVE_INFINITY;
            for (int s = begin; s < segments; s++) {
                float m = values.get(partial + s * stride + headDim);
                max = m > max ? m : max;
            }
            float weight = 0f;
            float sum = 0f;
            for (int s = begin; s < segments; s++) {
                int at = partial + s * stride;
                float factor = Exponential.exp(tables, values.get(at + headDim) - max);
                weight = fma(factor, values.get(at + headDim + 1), weight);
                sum = fma(factor, values.get(at + d), sum);
            }
            values.set(outAt + t * outStride + head * headDim + d, sum / weight);
        }
    }
}
