package io.tutti.tornado.kernel;

import static io.tutti.tornado.kernel.Fma.fma;

import uk.ac.manchester.tornado.api.types.arrays.FloatArray;

/** {@link io.tutti.engine.numerics.Numerics#exp}; the constants are {@link io.tutti.engine.numerics.Exp}'s. */
final class Exponential {

    // Literals, because a kernel can not make a float of bits, nor surely read another class's fields.
    static final float LOWEST = -87f;
    static final float HIGHEST = 88f;
    static final float LOG2_E = 0x1.715476p0f;
    static final float ROUND = 0x1.8p23f;
    static final float MINUS_LN2_HIGH = -0x1.63p-1f;
    static final float MINUS_LN2_LOW = 0x1.bd0106p-13f;
    static final float C2 = 0x1p-1f;
    static final float C3 = 0x1.555554p-3f;
    static final float C4 = 0x1.555382p-5f;
    static final float C5 = 0x1.11121p-7f;
    static final float C6 = 0x1.6e879cp-10f;
    static final float C7 = 0x1.a0d2cep-13f;

    private Exponential() {}

    static float exp(FloatArray tables, float x) {
        // A NaN goes on as HIGHEST: it must not come to be an index.
        float y = x < HIGHEST ? x : HIGHEST;
        y = y > LOWEST ? y : LOWEST;
        float t = fma(y, LOG2_E, ROUND);
        float n = t - ROUND;
        float r = fma(n, MINUS_LN2_HIGH, y);
        r = fma(n, MINUS_LN2_LOW, r);
        float p = C7;
        p = fma(p, r, C6);
        p = fma(p, r, C5);
        p = fma(p, r, C4);
        p = fma(p, r, C3);
        p = fma(p, r, C2);
        float e = fma(fma(p, r, 1f), r, 1f);
        float result = e * tables.get(Tables.power((int) n));
        if (x < LOWEST) {
            result = 0f;
        }
        return Float.isNaN(x) ? x : result;
    }
}
