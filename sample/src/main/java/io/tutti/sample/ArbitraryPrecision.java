package io.tutti.sample;

import java.math.BigInteger;

/**
 * exp and log in fixed point of as many bits as it takes to know how the exact result rounds to a double. The loops end: but for exp(0)
 * and log(1), which callers must not ask for, the exponential and the logarithm of a rational number are irrational (Lindemann), so
 * never in the middle of two doubles.
 *
 * <p>A fixed-point number of {@code bits} bits is the integer {@code v} that stands for v 2^-bits; "unit" below means 2^-bits.
 */
final class ArbitraryPrecision {
    /** Enough at once for all but contrived arguments: results come no nearer than about 2^-113 to the middle of two doubles. */
    private static final int FIRST_BITS = 192;

    /**
     * Units of error allowed for. A series has at most {@code bits} terms, each short by at most 3 units; ln 2's is then multiplied by at
     * most 2^11, the exponential's by 2^HALVINGS through its squarings. Together that is under 2^14 {@code bits} units: this for 4096
     * bits, more than any double asks for.
     */
    private static final BigInteger ERROR = BigInteger.ONE.shiftLeft(26);

    private static final int HALVINGS = 8;

    private static final BigInteger LN2 = twiceAtanhOfThird(FIRST_BITS);

    private ArbitraryPrecision() {}

    /** exp of a finite x other than 0, correctly rounded; x no larger than a few thousand. */
    static double exp(double x) {
        return exp(x, FIRST_BITS);
    }

    static double exp(double x, int bits) {
        // x = n ln 2 + r with r in [0, ln 2)
        BigInteger ln2 = ln2(bits);
        BigInteger fixed = toFixed(x, bits);
        BigInteger r = fixed.mod(ln2);
        int n = fixed.subtract(r).divide(ln2).intValueExact();

        BigInteger halved = r.shiftRight(HALVINGS);
        BigInteger value = BigInteger.ZERO;
        BigInteger term = BigInteger.ONE.shiftLeft(bits);
        for (int i = 1; term.signum() != 0; i++) {
            value = value.add(term);
            term = term.multiply(halved).shiftRight(bits).divide(BigInteger.valueOf(i));
        }
        for (int i = 0; i < HALVINGS; i++) {
            value = value.multiply(value).shiftRight(bits);
        }
        double below = toDouble(value.subtract(ERROR), n - bits);
        double above = toDouble(value.add(ERROR), n - bits);
        return below == above ? below : exp(x, 2 * bits);
    }

    /** log of a positive, finite x other than 1, correctly rounded. */
    static double log(double x) {
        return log(x, FIRST_BITS);
    }

    static double log(double x, int bits) {
        // x = 2^n m with m in [3/4, 3/2), so that nothing cancels; log m = 2 atanh((m - 1) / (m + 1))
        int n = Math.getExponent(x);
        double m = Math.scalb(x, -n);
        for (; m < 0.75; m *= 2) { // subnormals
            n--;
        }
        if (m >= 1.5) {
            m /= 2;
            n++;
        }
        BigInteger one = BigInteger.ONE.shiftLeft(bits);
        BigInteger fixed = toFixed(m, bits);
        BigInteger ratio = fixed.subtract(one).shiftLeft(bits).divide(fixed.add(one));
        BigInteger value = atanh(ratio, bits).shiftLeft(1).add(ln2(bits).multiply(BigInteger.valueOf(n)));
        double below = toDouble(value.subtract(ERROR), -bits);
        double above = toDouble(value.add(ERROR), -bits);
        return below == above ? below : log(x, 2 * bits);
    }

    private static BigInteger ln2(int bits) {
        return bits == FIRST_BITS ? LN2 : twiceAtanhOfThird(bits);
    }

    private static BigInteger twiceAtanhOfThird(int bits) {
        BigInteger third = BigInteger.ONE.shiftLeft(bits).divide(BigInteger.valueOf(3));
        return atanh(third, bits).shiftLeft(1);
    }

    /** z + z^3/3 + z^5/5 + ..., for |z| up to 1/3. */
    private static BigInteger atanh(BigInteger z, int bits) {
        BigInteger power = z.abs();
        BigInteger square = z.multiply(z).shiftRight(bits);
        BigInteger sum = BigInteger.ZERO;
        for (int i = 1; power.signum() != 0; i += 2) {
            sum = sum.add(power.divide(BigInteger.valueOf(i)));
            power = power.multiply(square).shiftRight(bits);
        }
        return z.signum() < 0 ? sum.negate() : sum;
    }

    /** A finite double in fixed point, rounded down. */
    static BigInteger toFixed(double x, int bits) {
        int exponent = Math.max(Math.getExponent(x), Double.MIN_EXPONENT) - 52;
        long integer = (long) Math.scalb(x, -exponent);
        return BigInteger.valueOf(integer).shiftLeft(bits + exponent);
    }

    /** v 2^exponent rounded to nearest, ties to even, as if in one step: subnormal and infinite results too. */
    static double toDouble(BigInteger v, int exponent) {
        BigInteger magnitude = v.abs();
        int excess = Math.max(magnitude.bitLength() - 53, Double.MIN_EXPONENT - 52 - exponent);
        if (excess > 0) {
            BigInteger kept = magnitude.shiftRight(excess);
            int half = magnitude.subtract(kept.shiftLeft(excess)).compareTo(BigInteger.ONE.shiftLeft(excess - 1));
            boolean up = half > 0 || (half == 0 && kept.testBit(0));
            magnitude = up ? kept.add(BigInteger.ONE) : kept;
            exponent += excess;
        }
        double result = Math.scalb((double) magnitude.longValueExact(), exponent);
        return v.signum() < 0 ? -result : result;
    }
}
