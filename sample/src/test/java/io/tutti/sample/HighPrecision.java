package io.tutti.sample;

import java.math.BigDecimal;
import java.math.MathContext;

/** exp and log to 90 digits in decimal: slow, and related to nothing that it checks. */
final class HighPrecision {
    static final MathContext DIGITS = new MathContext(110);

    private HighPrecision() {}

    static BigDecimal exp(BigDecimal x) {
        int halvings = 24;
        BigDecimal small = x.divide(BigDecimal.TWO.pow(halvings), DIGITS);
        BigDecimal sum = BigDecimal.ONE;
        BigDecimal term = BigDecimal.ONE;
        for (int i = 1; term.signum() != 0 && term.precision() - term.scale() > -DIGITS.getPrecision(); i++) {
            term = term.multiply(small, DIGITS).divide(BigDecimal.valueOf(i), DIGITS);
            sum = sum.add(term, DIGITS);
        }
        return sum.pow(1 << halvings, DIGITS);
    }

    /** Newton's iteration on {@link #exp}, whose error is squared each time. */
    static BigDecimal log(BigDecimal x, double start) {
        BigDecimal y = new BigDecimal(start);
        for (int i = 0; i < 3; i++) {
            y = y.add(x.multiply(exp(y.negate()), DIGITS).subtract(BigDecimal.ONE), DIGITS);
        }
        return y;
    }
}
