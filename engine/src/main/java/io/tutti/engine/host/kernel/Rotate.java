package io.tutti.engine.host.kernel;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/** Rotary position embedding, half-split: number i of a head is paired with number i + headDim / 2. */
public final class Rotate {

    private static final VectorSpecies<Float> F = Lanes.FLOATS;
    private static final int LANES = F.length();

    private Rotate() {}

    /**
     * Rotates consecutive heads of one token in place.
     *
     * @param x {@code [heads, 2 * pairs]} from {@code at} on
     * @param cos the position's cosines, {@code [pairs]} from {@code row} on
     * @param sin its sines, likewise
     */
    public static void heads(float[] x, int at, int heads, float[] cos, float[] sin, int row, int pairs) {
        for (int lows = at; lows < at + 2 * heads * pairs; lows += 2 * pairs) {
            int highs = lows + pairs;
            int i = 0;
            for (; i <= pairs - LANES; i += LANES) {
                FloatVector c = FloatVector.fromArray(F, cos, row + i);
                FloatVector s = FloatVector.fromArray(F, sin, row + i);
                FloatVector low = FloatVector.fromArray(F, x, lows + i);
                FloatVector high = FloatVector.fromArray(F, x, highs + i);
                low.fma(c, high.mul(s).neg()).intoArray(x, lows + i);
                high.fma(c, low.mul(s)).intoArray(x, highs + i);
            }
            for (; i < pairs; i++) {
                float c = cos[row + i];
                float s = sin[row + i];
                float low = x[lows + i];
                float high = x[highs + i];
                x[lows + i] = Math.fma(low, c, -(high * s));
                x[highs + i] = Math.fma(high, c, low * s);
            }
        }
    }
}
