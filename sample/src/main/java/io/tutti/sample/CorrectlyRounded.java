package io.tutti.sample;

import java.math.BigInteger;

/**
 * The exponential and the natural logarithm of a double, correctly rounded: the exact result rounded once, to nearest, ties to even,
 * subnormal results included. So every platform gives the same bits, which neither {@link Math} nor {@link StrictMath} nor a C
 * library promises of the exact value.
 *
 * <p>Both functions follow Ziv's strategy: evaluate with more precision than a double has and a proven bound on the error; if both
 * ends of the interval round alike, that is the result; else (about once in 2^15 arguments) {@link ArbitraryPrecision} decides.
 * The extra precision is that of double-double: an unevaluated sum of two doubles.
 *
 * @see <a href="https://doi.org/10.1145/114697.116813">A. Ziv, Fast Evaluation of Elementary Mathematical Functions with
 *     Correctly Rounded Last Bit, 1991</a>
 * @see <a href="https://doi.org/10.1145/63522.214389">P. T. P. Tang, Table-Driven Implementation of the Exponential Function in
 *     IEEE Floating-Point Arithmetic, 1989</a>
 * @see <a href="https://doi.org/10.1007/BF01397083">T. J. Dekker, A Floating-Point Technique for Extending the Available Precision,
 *     1971</a>
 */
public final class CorrectlyRounded {
    /** Between these, exp is a normal double whose power of two is one too. */
    private static final double EXP_NORMAL_FROM = -708;

    private static final double EXP_NORMAL_TO = 709;

    /** exp of anything above rounds to Infinity, and of anything below the second to 0. */
    private static final double EXP_FINITE = 0x1.62e42fefa39efp9;

    private static final double EXP_POSITIVE = -745.2;

    /** Nearer to 0 than this, exp is nearer to 1 than to any other double. */
    private static final double EXP_ONE = 0x1p-54;

    /** Powers of two in the table, per factor of 2. */
    private static final int STEPS = 256;

    /** ln 2 / 256 in two parts; the first is a multiple of 2^-42 with 34 bits, the second below 2^-43. */
    private static final double STEP_HI = 0x1.62e42fef8p-9;

    private static final double STEP_LO = 0x1.1cf79abc9e3b4p-44;
    private static final double STEPS_PER_UNIT = 0x1.71547652b82fep8;

    /** 2^(i/256) as the sum of elements 2 i and 2 i + 1, good to 2^-107. */
    private static final double[] POWERS = powersOfTwo();

    /** Bound on the error of {@link #scaledExp}; see there. */
    static final double EXP_ERROR = 0x1p-68;

    private CorrectlyRounded() {}

    /** e to the power of x; +0, 1 and +Infinity for -Infinity, either 0 and +Infinity; NaN for NaN. */
    public static double exp(double x) {
        if (!(x >= EXP_NORMAL_FROM && x <= EXP_NORMAL_TO)) {
            return expAtTheEdges(x);
        }
        if (Math.abs(x) < EXP_ONE) {
            return 1;
        }
        Scaled e = scaledExp(x);
        double below = e.hi + (e.lo - EXP_ERROR);
        double above = e.hi + (e.lo + EXP_ERROR);
        return below == above ? below * powerOfTwo(e.exponent) : ArbitraryPrecision.exp(x);
    }

    private static double expAtTheEdges(double x) {
        if (x > EXP_FINITE) {
            return Double.POSITIVE_INFINITY;
        }
        if (x < EXP_POSITIVE) {
            return 0;
        }
        return Double.isNaN(x) ? x : ArbitraryPrecision.exp(x);
    }

    /** The natural logarithm of x; -Infinity, +0 and +Infinity for either 0, 1 and +Infinity; NaN for NaN and anything below 0. */
    public static double log(double x) {
        if (!(x > 0 && x <= Double.MAX_VALUE) || x == 1) {
            return Math.log(x);
        }
        // One step of Newton's from y, which is within an ulp of log x: so much Math promises on every platform, and no
        // more is used of it. x e^-y = 1 + d and log x = y + d - d^2/2 + ..., where |d| <= 2^-52 |y| <= 2^-42.
        double y = Math.log(x);
        Scaled e = scaledExp(-y);
        double z = Math.scalb(x, e.exponent); // exact: near 1
        double d = Math.fma(z, e.hi, -1) + z * e.lo;
        // Near 1, scaledExp has neither a reduction nor a table entry to round. Its error stays within 2^-52 y^2 +
        // 2^-59 y^2 + 2^-107 (the roundings of s and of the last sum; Taylor's remainder); d's own roundings and d^2/2
        // stay within 2^-105 there, and within 2^-85 elsewhere.
        double error = Math.abs(y) < STEP_HI / 2 ? y * y * 0x1p-51 + 0x1p-104 : EXP_ERROR;
        double below = y + (d - error);
        double above = y + (d + error);
        return below == above ? below : ArbitraryPrecision.log(x);
    }

    /** (hi + lo) 2^exponent, where hi is in (0.998, 2.004) and |lo| is at most half its ulp. */
    record Scaled(double hi, double lo, int exponent) {}

    /**
     * e^x for |x| < 746, with an error of hi + lo below 2^-68.
     *
     * <p>With k = x / (ln 2 / 256) rounded and i = k mod 256: e^x = 2^(k/256) e^r = 2^floor(k/256) T e^r, T = 2^(i/256) in [1, 2),
     * |r| < 2^-9.52. The sources of error, each as an amount in T e^r < 2.004 (u = 2^-53):
     *
     * <ul>
     *   <li>r. high = x - k STEP_HI is exact: k has 19 bits, STEP_HI 34; the difference is a multiple of 2^-62 below 2^-9. low = -k
     *       STEP_LO is below 2^-24: its rounding and STEP_LO's own stay below 2^-77. Times T: 2^-76.
     *   <li>s = e^r - 1 - high, by Taylor: low + r^2 (1/2 + r/6 + ... + r^4/720), where r is high + low rounded. The rounding of r,
     *       2^-63, times the derivative 2^-9.52: 2^-72.5. The rounding of the bracket and of r^2, each u of 2^-20.05: 2^-72.05. The
     *       rounding of s, below 2^-19: 2^-73. The first term left out, r^7/5040: 2^-78. Together below 2^-70.8; times T: 2^-69.8.
     *   <li>T e^r = T + T high + T s, with T = t + tLow. t high is kept exactly in two parts; t s rounded is 2^-72, tLow s left out
     *       2^-73, the last sum into the low part 2^-72: together below 2^-70.6.
     * </ul>
     *
     * <p>The sum is below 2^-69.1. What is left to 2^-68 covers, many times over, the callers' roundings of lo - error.
     */
    static Scaled scaledExp(double x) {
        double k = Math.rint(x * STEPS_PER_UNIT);
        double high = Math.fma(-k, STEP_HI, x);
        double low = -k * STEP_LO;
        double r = high + low;
        double bracket = Math.fma(r, Math.fma(r, Math.fma(r, Math.fma(r, 1. / 720, 1. / 120), 1. / 24), 1. / 6), 0.5);
        double s = Math.fma(r * r, bracket, low);

        int index = (int) k;
        int i = index & (STEPS - 1);
        double t = POWERS[2 * i];
        double tLow = POWERS[2 * i + 1];
        double product = t * high;
        double productLow = Math.fma(t, high, -product);
        double sum = t + product;
        double rest = (t - sum + product) + Math.fma(t, s, Math.fma(tLow, high, tLow + productLow));
        double hi = sum + rest;
        return new Scaled(hi, sum - hi + rest, (index - i) / STEPS);
    }

    /** 2^n for the exponents of normal numbers. */
    private static double powerOfTwo(int n) {
        return Double.longBitsToDouble((long) (n + Double.MAX_EXPONENT) << 52);
    }

    private static double[] powersOfTwo() {
        int bits = 192;
        BigInteger one = BigInteger.ONE.shiftLeft(bits);
        BigInteger root = one.shiftLeft(1);
        for (int i = 1; i < STEPS; i *= 2) {
            root = root.shiftLeft(bits).sqrt();
        }
        double[] powers = new double[2 * STEPS];
        BigInteger power = one;
        for (int i = 0; i < STEPS; i++) {
            powers[2 * i] = ArbitraryPrecision.toDouble(power, -bits);
            BigInteger rest = power.subtract(ArbitraryPrecision.toFixed(powers[2 * i], bits));
            powers[2 * i + 1] = ArbitraryPrecision.toDouble(rest, -bits);
            power = power.multiply(root).shiftRight(bits);
        }
        return powers;
    }
}
