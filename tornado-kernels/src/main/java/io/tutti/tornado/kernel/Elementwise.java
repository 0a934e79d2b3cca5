package io.tutti.tornado.kernel;

import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/** Ops that treat each element alike. */
public final class Elementwise {

    private Elementwise() {}

    /** A work-item an element. */
    public static Grid grid(int rows, int width) {
        return Grid.over(width, rows, 1);
    }

    /** {@code out = gate / (1 + exp(-gate)) * up}. */
    public static void swiGlu(
            KernelContext context,
            IntArray step,
            IntArray launches,
            FloatArray values,
            FloatArray tables,
            int count,
            int width,
            int gateAt,
            int gateStride,
            int upAt,
            int upStride,
            int outAt,
            int outStride,
            int task) {
        Launches.count(context, launches, task);
        int i = context.globalIdx;
        int row = context.globalIdy;
        if (i < width && row < step.get(count)) {
            float gate = values.get(gateAt + row * gateStride + i);
            float up = values.get(upAt + row * upStride + i);
            // The compiler may fuse this sum with exp's last multiplication, which is exact.
            float divisor = 1f + Exponential.exp(tables, -gate);
            values.set(outAt + row * outStride + i, (gate / divisor) * up);
        }
    }

    /** {@code x = x + y}. */
    public static void add(
            KernelContext context,
            IntArray step,
            IntArray launches,
            FloatArray values,
            int count,
            int width,
            int xAt,
            int xStride,
            int yAt,
            int yStride,
            int task) {
        Launches.count(context, launches, task);
        int i = context.globalIdx;
        int row = context.globalIdy;
        if (i < width && row < step.get(count)) {
            int x = xAt + row * xStride + i;
            values.set(x, values.get(x) + values.get(yAt + row * yStride + i));
        }
    }

    /** {@code out[i] = in[the token of output i]}. */
    public static void selectOutputs(
            KernelContext context,
            IntArray step,
            IntArray launches,
            FloatArray values,
            int maxTokens,
            int width,
            int inAt,
            int inStride,
            int outAt,
            int outStride,
            int task) {
        Launches.count(context, launches, task);
        int i = context.globalIdx;
        int row = context.globalIdy;
        if (i < width && row < step.get(StepLayout.OUTPUTS)) {
            int t = step.get(StepLayout.output(maxTokens, row));
            values.set(outAt + row * outStride + i, values.get(inAt + t * inStride + i));
        }
    }
}
