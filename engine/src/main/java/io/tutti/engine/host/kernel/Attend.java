package io.tutti.engine.host.kernel;

import io.tutti.engine.reference.Numerics;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * One query head over one segment of at most {@value Numerics#SEGMENT} positions: scores with positions as lanes, values
 * with the head's numbers as lanes.
 */
public final class Attend {

    /** Positions that a key buffer has room for. */
    public static final int POSITIONS = Numerics.SEGMENT;

    private static final VectorSpecies<Float> F = Lanes.FLOATS;
    private static final int LANES = F.length();

    private Attend() {}

    /** The room that a head of {@code headDim} numbers takes in a value buffer: whole vectors. */
    public static int padded(int headDim) {
        return (headDim + LANES - 1) / LANES * LANES;
    }

    /**
     * {@code z[j] = dot(q, key j)} for j below {@code n}, and something or other up to the next multiple of four vectors.
     *
     * @param q the scaled query, {@code [headDim]} from {@code qAt} on
     * @param keys {@code [headDim, 256]}
     * @param z {@code [256]}
     */
    public static void scores(float[] q, int qAt, int headDim, float[] keys, int n, float[] z) {
        for (int j = 0; j < n; j += 4 * LANES) {
            FloatVector total0 = FloatVector.zero(F);
            FloatVector total1 = total0;
            FloatVector total2 = total0;
            FloatVector total3 = total0;
            for (int s = 0; s < headDim; s += Numerics.SEGMENT) {
                int end = Math.min(headDim, s + Numerics.SEGMENT);
                FloatVector a = FloatVector.zero(F);
                FloatVector b = a;
                FloatVector c = a;
                FloatVector d = a;
                for (int i = s; i < end; i++) {
                    FloatVector t = FloatVector.broadcast(F, q[qAt + i]);
                    int k = i * POSITIONS + j;
                    a = FloatVector.fromArray(F, keys, k).fma(t, a);
                    b = FloatVector.fromArray(F, keys, k + LANES).fma(t, b);
                    c = FloatVector.fromArray(F, keys, k + 2 * LANES).fma(t, c);
                    d = FloatVector.fromArray(F, keys, k + 3 * LANES).fma(t, d);
                }
                total0 = total0.add(a);
                total1 = total1.add(b);
                total2 = total2.add(c);
                total3 = total3.add(d);
            }
            total0.intoArray(z, j);
            total1.intoArray(z, j + LANES);
            total2.intoArray(z, j + 2 * LANES);
            total3.intoArray(z, j + 3 * LANES);
        }
    }

    /**
     * {@code out[d] = sum over j below n of p[j] * v[j, d]}, ascending from zero, for d below {@code width}.
     *
     * @param values {@code [n, width]}
     * @param width numbers of a head, {@link #padded}
     */
    public static void values(float[] p, int n, float[] values, int width, float[] out, int outAt) {
        int i = 0;
        for (; i <= width - 4 * LANES; i += 4 * LANES) {
            FloatVector a = FloatVector.zero(F);
            FloatVector b = a;
            FloatVector c = a;
            FloatVector d = a;
            for (int j = 0; j < n; j++) {
                FloatVector t = FloatVector.broadcast(F, p[j]);
                int v = j * width + i;
                a = FloatVector.fromArray(F, values, v).fma(t, a);
                b = FloatVector.fromArray(F, values, v + LANES).fma(t, b);
                c = FloatVector.fromArray(F, values, v + 2 * LANES).fma(t, c);
                d = FloatVector.fromArray(F, values, v + 3 * LANES).fma(t, d);
            }
            a.intoArray(out, outAt + i);
            b.intoArray(out, outAt + i + LANES);
            c.intoArray(out, outAt + i + 2 * LANES);
            d.intoArray(out, outAt + i + 3 * LANES);
        }
        for (; i < width; i += LANES) {
            FloatVector a = FloatVector.zero(F);
            for (int j = 0; j < n; j++) {
                a = FloatVector.fromArray(F, values, j * width + i).fma(FloatVector.broadcast(F, p[j]), a);
            }
            a.intoArray(out, outAt + i);
        }
    }

    /** {@code total[d] = fma(c, o[d], total[d])} for d below {@code width}, {@link #padded}. */
    public static void join(float c, float[] o, int at, float[] total, int width) {
        for (int i = 0; i < width; i += LANES) {
            FloatVector.broadcast(F, c)
                    .fma(FloatVector.fromArray(F, o, at + i), FloatVector.fromArray(F, total, i))
                    .intoArray(total, i);
        }
    }
}
