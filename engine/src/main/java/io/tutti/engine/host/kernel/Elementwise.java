package io.tutti.engine.host.kernel;

import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LT;

import io.tutti.engine.numerics.Exp;
import io.tutti.engine.numerics.Numerics;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/** Operations on one row, element by element. Lanes do what {@link Numerics} does to the elements past the last vector. */
public final class Elementwise {

    private static final VectorSpecies<Float> F = Lanes.FLOATS;
    private static final int LANES = F.length();

    private Elementwise() {}

    /** {@code x[i] = exp(x[i] - shift)}. */
    public static void expShifted(float[] x, int at, int n, float shift) {
        int i = 0;
        for (; i <= n - LANES; i += LANES) {
            FloatVector z = FloatVector.fromArray(F, x, at + i).sub(shift);
            FloatVector y = z.blend(Exp.HIGHEST, z.compare(GT, Exp.HIGHEST));
            FloatVector t = y.fma(FloatVector.broadcast(F, Exp.LOG2_E), FloatVector.broadcast(F, Exp.ROUND));
            FloatVector m = t.sub(Exp.ROUND);
            FloatVector r = m.fma(FloatVector.broadcast(F, Exp.MINUS_LN2_HIGH), y);
            r = m.fma(FloatVector.broadcast(F, Exp.MINUS_LN2_LOW), r);
            FloatVector p = r.fma(FloatVector.broadcast(F, Exp.C7), FloatVector.broadcast(F, Exp.C6));
            p = p.fma(r, FloatVector.broadcast(F, Exp.C5));
            p = p.fma(r, FloatVector.broadcast(F, Exp.C4));
            p = p.fma(r, FloatVector.broadcast(F, Exp.C3));
            p = p.fma(r, FloatVector.broadcast(F, Exp.C2));
            p = p.fma(r, FloatVector.broadcast(F, 1f));
            p = p.fma(r, FloatVector.broadcast(F, 1f));
            // m's integer is in t's low bits; the shift drops all that is above.
            FloatVector power = t.reinterpretAsInts()
                    .add(127)
                    .lanewise(VectorOperators.LSHL, 23)
                    .reinterpretAsFloats();
            // A NaN has gone through all of it and still is one.
            p.mul(power).blend(0f, z.compare(LT, Exp.LOWEST)).intoArray(x, at + i);
        }
        for (; i < n; i++) {
            x[at + i] = Numerics.exp(x[at + i] - shift);
        }
    }

    /**
     * {@code out[i] = gate[i] / (1 + exp(-gate[i])) * up[i]}, {@code n} elements of each array; {@code out} may be {@code
     * gate}.
     *
     * @param e room for {@code n} exponentials
     */
    public static void swiGlu(
            float[] gate, int gateAt, float[] up, int upAt, float[] out, int outAt, int n, float[] e) {
        for (int i = 0; i < n; i++) {
            e[i] = -gate[gateAt + i];
        }
        expShifted(e, 0, n, 0f);
        int i = 0;
        for (; i <= n - LANES; i += LANES) {
            FloatVector.fromArray(F, gate, gateAt + i)
                    .div(FloatVector.fromArray(F, e, i).add(1f))
                    .mul(FloatVector.fromArray(F, up, upAt + i))
                    .intoArray(out, outAt + i);
        }
        for (; i < n; i++) {
            out[outAt + i] = (gate[gateAt + i] / (1f + e[i])) * up[upAt + i];
        }
    }

    /** {@code out[i] = (in[i] * factor) * scale[i]}. */
    public static void scaleRow(float[] in, int at, float factor, float[] scale, float[] out, int outAt, int n) {
        int i = 0;
        for (; i <= n - LANES; i += LANES) {
            FloatVector.fromArray(F, in, at + i)
                    .mul(factor)
                    .mul(FloatVector.fromArray(F, scale, i))
                    .intoArray(out, outAt + i);
        }
        for (; i < n; i++) {
            out[outAt + i] = (in[at + i] * factor) * scale[i];
        }
    }

    /** {@code out[i] = in[i] * factor}. */
    public static void scale(float[] in, int at, float factor, float[] out, int outAt, int n) {
        int i = 0;
        for (; i <= n - LANES; i += LANES) {
            FloatVector.fromArray(F, in, at + i).mul(factor).intoArray(out, outAt + i);
        }
        for (; i < n; i++) {
            out[outAt + i] = in[at + i] * factor;
        }
    }

    /** {@code out[i] = in[i] / divisor}, from the start of {@code in}. */
    public static void divide(float[] in, float divisor, float[] out, int outAt, int n) {
        int i = 0;
        for (; i <= n - LANES; i += LANES) {
            FloatVector.fromArray(F, in, i).div(divisor).intoArray(out, outAt + i);
        }
        for (; i < n; i++) {
            out[outAt + i] = in[i] / divisor;
        }
    }

    /** {@code x[i] += y[i]}, {@code n} elements from {@code at} and {@code yAt} on. */
    public static void add(float[] x, int at, float[] y, int yAt, int n) {
        int i = 0;
        for (; i <= n - LANES; i += LANES) {
            FloatVector.fromArray(F, x, at + i)
                    .add(FloatVector.fromArray(F, y, yAt + i))
                    .intoArray(x, at + i);
        }
        for (; i < n; i++) {
            x[at + i] += y[yAt + i];
        }
    }
}
