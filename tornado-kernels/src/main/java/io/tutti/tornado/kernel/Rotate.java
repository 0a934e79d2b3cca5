package io.tutti.tornado.kernel;

import static io.tutti.tornado.kernel.Fma.products;

import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/** Rotary position embedding in place, half-split. Queries and keys that lie side by side may be rotated as one. */
public final class Rotate {

    private Rotate() {}

    /** A work-item a pair. */
    public static Grid grid(int tokens, int heads, int pairs) {
        return Grid.over(pairs, heads, tokens);
    }

    /**
     * Rotates every head of a row to its token's position.
     *
     * @param angles for each of the step's tokens the cosines, the sines and the sines' negatives at its position, {@code
     *     [maxTokens][3][pairs]}
     * @param at of what is rotated, {@code [tokens][heads][2 * pairs]}, which has rows {@code stride} apart
     */
    public static void pairs(
            KernelContext context,
            IntArray step,
            IntArray launches,
            FloatArray values,
            FloatArray angles,
            int at,
            int stride,
            int pairs,
            int task) {
        Launches.count(context, launches, task);
        int i = context.globalIdx;
        int head = context.globalIdy;
        int t = context.globalIdz;
        if (i < pairs && t < step.get(StepLayout.TOKENS)) {
            int low = at + t * stride + head * 2 * pairs + i;
            int high = low + pairs;
            int angle = t * 3 * pairs + i;
            float cos = angles.get(angle);
            float sin = angles.get(angle + pairs);
            // The negative comes from the table: of a minus the compiler would make a subtraction, and not fuse it.
            float minusSin = angles.get(angle + 2 * pairs);
            float lo = values.get(low);
            float hi = values.get(high);
            values.set(low, products(lo, cos, hi, minusSin));
            values.set(high, products(hi, cos, lo, sin));
        }
    }
}
