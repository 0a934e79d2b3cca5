package io.tutti.engine.host.kernel;

import static jdk.incubator.vector.VectorOperators.GT;

import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/** From a segment's scores to its weights: rows of {@link Attend#POSITIONS} numbers, of which the first few count. */
public final class Softmax {

    private static final VectorSpecies<Float> F = Lanes.FLOATS;
    private static final int LANES = F.length();

    private Softmax() {}

    /**
     * Turns scores into weights, {@code z[j] = exp(z[j] - max)} for j below {@code n}.
     *
     * @param z scores from {@code at} on; those from n to the next whole vector are overwritten
     * @return the largest score; where one is NaN, any of the others
     */
    public static float weights(float[] z, int at, int n) {
        int end = Attend.padded(n);
        Arrays.fill(z, at + n, at + end, Float.NEGATIVE_INFINITY);
        FloatVector high = FloatVector.broadcast(F, Float.NEGATIVE_INFINITY);
        FloatVector high2 = high;
        int i = 0;
        for (; i <= end - 2 * LANES; i += 2 * LANES) {
            FloatVector a = FloatVector.fromArray(F, z, at + i);
            FloatVector b = FloatVector.fromArray(F, z, at + i + LANES);
            high = high.blend(a, a.compare(GT, high));
            high2 = high2.blend(b, b.compare(GT, high2));
        }
        for (; i < end; i += LANES) {
            FloatVector a = FloatVector.fromArray(F, z, at + i);
            high = high.blend(a, a.compare(GT, high));
        }
        float max = high.max(high2).reduceLanes(VectorOperators.MAX);
        Elementwise.expShifted(z, at, end, max);
        return max;
    }

    /**
     * The sums of four rows' weights, each ascending from zero, side by side: one alone would wait for every addition.
     *
     * @param p weights; row r's begin at {@code pr}, and the first {@code nr} count, with n0 the fewest
     * @param out receives row r's sum at {@code or}
     */
    public static void sums(
            float[] p,
            int p0,
            int p1,
            int p2,
            int p3,
            int n0,
            int n1,
            int n2,
            int n3,
            float[] out,
            int o0,
            int o1,
            int o2,
            int o3) {
        float a = 0;
        float b = 0;
        float c = 0;
        float d = 0;
        for (int j = 0; j < n0; j++) {
            a += p[p0 + j];
            b += p[p1 + j];
            c += p[p2 + j];
            d += p[p3 + j];
        }
        for (int j = n0; j < n1; j++) {
            b += p[p1 + j];
        }
        for (int j = n0; j < n2; j++) {
            c += p[p2 + j];
        }
        for (int j = n0; j < n3; j++) {
            d += p[p3 + j];
        }
        out[o0] = a;
        out[o1] = b;
        out[o2] = c;
        out[o3] = d;
    }
}
