package io.tutti.engine.host.kernel;

import io.tutti.engine.numerics.Numerics;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Four query rows (a row is one token's one head) over a chunk of positions: scores with positions as lanes, values with the
 * head's numbers as lanes. Whoever has fewer rows than four repeats one; it is computed twice, to the same end.
 *
 * <p>Rows are indices: row r's query lies at {@code r * headDim}, its scores and weights at {@code r * 256}.
 */
public final class Attend {

    /** Positions that a row of scores has room for. */
    public static final int POSITIONS = Numerics.SEGMENT;

    /** Positions side by side in a buffer of keys, {@code [positions / 16, headDim, 16]}: the cache's blocks as they are. */
    public static final int COLUMN = 16;

    private static final VectorSpecies<Float> F = Lanes.FLOATS;
    private static final int LANES = F.length();

    private Attend() {}

    /** A head of {@code headDim} numbers in whole vectors. */
    public static int padded(int headDim) {
        return (headDim + LANES - 1) / LANES * LANES;
    }

    /**
     * Adds to {@code z[r, zAt + j]} the sum of {@code q[r, d] * k[j, d]} for d from {@code from} to {@code to}, ascending from
     * zero, for every j below {@code n}, and something or other for j up to the next multiple of {@value #COLUMN} times two.
     *
     * @param q scaled queries, {@code [rows, headDim]}
     * @param keys {@code [positions / 16, headDim, 16]}
     * @param z {@code [rows, 256]}
     */
    public static void scores(
            float[] q,
            int headDim,
            int r0,
            int r1,
            int r2,
            int r3,
            int from,
            int to,
            float[] keys,
            int n,
            float[] z,
            int zAt) {
        for (int j = 0; j < n; j += 2 * LANES) {
            int u = j / COLUMN * headDim * COLUMN + j % COLUMN;
            int v = (j + LANES) / COLUMN * headDim * COLUMN + (j + LANES) % COLUMN;
            FloatVector a0 = FloatVector.zero(F);
            FloatVector a1 = a0;
            FloatVector a2 = a0;
            FloatVector a3 = a0;
            FloatVector b0 = a0;
            FloatVector b1 = a0;
            FloatVector b2 = a0;
            FloatVector b3 = a0;
            for (int d = from; d < to; d++) {
                FloatVector a = FloatVector.fromArray(F, keys, u + d * COLUMN);
                FloatVector b = FloatVector.fromArray(F, keys, v + d * COLUMN);
                FloatVector t = FloatVector.broadcast(F, q[r0 * headDim + d]);
                a0 = a.fma(t, a0);
                b0 = b.fma(t, b0);
                t = FloatVector.broadcast(F, q[r1 * headDim + d]);
                a1 = a.fma(t, a1);
                b1 = b.fma(t, b1);
                t = FloatVector.broadcast(F, q[r2 * headDim + d]);
                a2 = a.fma(t, a2);
                b2 = b.fma(t, b2);
                t = FloatVector.broadcast(F, q[r3 * headDim + d]);
                a3 = a.fma(t, a3);
                b3 = b.fma(t, b3);
            }
            int z0 = r0 * POSITIONS + zAt + j;
            int z1 = r1 * POSITIONS + zAt + j;
            int z2 = r2 * POSITIONS + zAt + j;
            int z3 = r3 * POSITIONS + zAt + j;
            // All are read before any is written: a row that is repeated must not be added to twice.
            a0 = FloatVector.fromArray(F, z, z0).add(a0);
            b0 = FloatVector.fromArray(F, z, z0 + LANES).add(b0);
            a1 = FloatVector.fromArray(F, z, z1).add(a1);
            b1 = FloatVector.fromArray(F, z, z1 + LANES).add(b1);
            a2 = FloatVector.fromArray(F, z, z2).add(a2);
            b2 = FloatVector.fromArray(F, z, z2 + LANES).add(b2);
            a3 = FloatVector.fromArray(F, z, z3).add(a3);
            b3 = FloatVector.fromArray(F, z, z3 + LANES).add(b3);
            a0.intoArray(z, z0);
            b0.intoArray(z, z0 + LANES);
            a1.intoArray(z, z1);
            b1.intoArray(z, z1 + LANES);
            a2.intoArray(z, z2);
            b2.intoArray(z, z2 + LANES);
            a3.intoArray(z, z3);
            b3.intoArray(z, z3 + LANES);
        }
    }

    /**
     * {@code out[r, d] = fma(p[r, pAt + j], v[j, d], out[r, d])} for j from {@code from} to {@code to}, ascending, and d below
     * {@code width}.
     *
     * @param p weights, {@code [rows, 256]}
     * @param values {@code [positions, headDim]}, and a vector of anything behind
     * @param width of a head, {@link #padded}; what the numbers past headDim come to is of no meaning
     * @param o0 where row r0 lies in {@code out}
     */
    public static void values(
            float[] p,
            int pAt,
            int r0,
            int r1,
            int r2,
            int r3,
            int from,
            int to,
            float[] values,
            int headDim,
            int width,
            float[] out,
            int o0,
            int o1,
            int o2,
            int o3) {
        int p0 = r0 * POSITIONS + pAt;
        int p1 = r1 * POSITIONS + pAt;
        int p2 = r2 * POSITIONS + pAt;
        int p3 = r3 * POSITIONS + pAt;
        int i = 0;
        for (; i <= width - 4 * LANES; i += 4 * LANES) {
            FloatVector a0 = FloatVector.fromArray(F, out, o0 + i);
            FloatVector b0 = FloatVector.fromArray(F, out, o0 + i + LANES);
            FloatVector c0 = FloatVector.fromArray(F, out, o0 + i + 2 * LANES);
            FloatVector d0 = FloatVector.fromArray(F, out, o0 + i + 3 * LANES);
            FloatVector a1 = FloatVector.fromArray(F, out, o1 + i);
            FloatVector b1 = FloatVector.fromArray(F, out, o1 + i + LANES);
            FloatVector c1 = FloatVector.fromArray(F, out, o1 + i + 2 * LANES);
            FloatVector d1 = FloatVector.fromArray(F, out, o1 + i + 3 * LANES);
            FloatVector a2 = FloatVector.fromArray(F, out, o2 + i);
            FloatVector b2 = FloatVector.fromArray(F, out, o2 + i + LANES);
            FloatVector c2 = FloatVector.fromArray(F, out, o2 + i + 2 * LANES);
            FloatVector d2 = FloatVector.fromArray(F, out, o2 + i + 3 * LANES);
            FloatVector a3 = FloatVector.fromArray(F, out, o3 + i);
            FloatVector b3 = FloatVector.fromArray(F, out, o3 + i + LANES);
            FloatVector c3 = FloatVector.fromArray(F, out, o3 + i + 2 * LANES);
            FloatVector d3 = FloatVector.fromArray(F, out, o3 + i + 3 * LANES);
            for (int j = from; j < to; j++) {
                int at = j * headDim + i;
                FloatVector a = FloatVector.fromArray(F, values, at);
                FloatVector b = FloatVector.fromArray(F, values, at + LANES);
                FloatVector c = FloatVector.fromArray(F, values, at + 2 * LANES);
                FloatVector d = FloatVector.fromArray(F, values, at + 3 * LANES);
                FloatVector t = FloatVector.broadcast(F, p[p0 + j]);
                a0 = a.fma(t, a0);
                b0 = b.fma(t, b0);
                c0 = c.fma(t, c0);
                d0 = d.fma(t, d0);
                t = FloatVector.broadcast(F, p[p1 + j]);
                a1 = a.fma(t, a1);
                b1 = b.fma(t, b1);
                c1 = c.fma(t, c1);
                d1 = d.fma(t, d1);
                t = FloatVector.broadcast(F, p[p2 + j]);
                a2 = a.fma(t, a2);
                b2 = b.fma(t, b2);
                c2 = c.fma(t, c2);
                d2 = d.fma(t, d2);
                t = FloatVector.broadcast(F, p[p3 + j]);
                a3 = a.fma(t, a3);
                b3 = b.fma(t, b3);
                c3 = c.fma(t, c3);
                d3 = d.fma(t, d3);
            }
            a0.intoArray(out, o0 + i);
            b0.intoArray(out, o0 + i + LANES);
            c0.intoArray(out, o0 + i + 2 * LANES);
            d0.intoArray(out, o0 + i + 3 * LANES);
            a1.intoArray(out, o1 + i);
            b1.intoArray(out, o1 + i + LANES);
            c1.intoArray(out, o1 + i + 2 * LANES);
            d1.intoArray(out, o1 + i + 3 * LANES);
            a2.intoArray(out, o2 + i);
            b2.intoArray(out, o2 + i + LANES);
            c2.intoArray(out, o2 + i + 2 * LANES);
            d2.intoArray(out, o2 + i + 3 * LANES);
            a3.intoArray(out, o3 + i);
            b3.intoArray(out, o3 + i + LANES);
            c3.intoArray(out, o3 + i + 2 * LANES);
            d3.intoArray(out, o3 + i + 3 * LANES);
        }
        for (; i < width; i += LANES) {
            FloatVector a0 = FloatVector.fromArray(F, out, o0 + i);
            FloatVector a1 = FloatVector.fromArray(F, out, o1 + i);
            FloatVector a2 = FloatVector.fromArray(F, out, o2 + i);
            FloatVector a3 = FloatVector.fromArray(F, out, o3 + i);
            for (int j = from; j < to; j++) {
                FloatVector a = FloatVector.fromArray(F, values, j * headDim + i);
                a0 = a.fma(FloatVector.broadcast(F, p[p0 + j]), a0);
                a1 = a.fma(FloatVector.broadcast(F, p[p1 + j]), a1);
                a2 = a.fma(FloatVector.broadcast(F, p[p2 + j]), a2);
                a3 = a.fma(FloatVector.broadcast(F, p[p3 + j]), a3);
            }
            a0.intoArray(out, o0 + i);
            a1.intoArray(out, o1 + i);
            a2.intoArray(out, o2 + i);
            a3.intoArray(out, o3 + i);
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
