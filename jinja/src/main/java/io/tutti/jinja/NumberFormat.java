package io.tutti.jinja;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** Writes the digits of a number in Python's formats f, e, g, d, x, o, b and %, without sign and padding. */
final class NumberFormat {
    private static final int MAX_PRECISION = 1000;

    private NumberFormat() {}

    static String integer(BigInteger value, char type, boolean alternate) {
        return switch (type) {
            case 'd' -> PythonText.decimal(value);
            case 'x' -> (alternate ? "0x" : "") + value.toString(16);
            case 'X' -> (alternate ? "0X" : "") + value.toString(16).toUpperCase(Locale.ROOT);
            case 'o' -> (alternate ? "0o" : "") + value.toString(8);
            case 'b' -> (alternate ? "0b" : "") + value.toString(2);
            default -> throw unknown(type, "int");
        };
    }

    static String real(double value, char type, int precision) {
        if (precision > MAX_PRECISION) {
            throw new JinjaException("a precision of more than " + MAX_PRECISION + " digits");
        }
        boolean upper = Character.isUpperCase(type);
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            String word = Double.isNaN(value) ? "nan" : "inf";
            return upper ? word.toUpperCase(Locale.ROOT) : word;
        }
        BigDecimal exact = new BigDecimal(value);
        String digits = switch (Character.toLowerCase(type)) {
            case 'f' -> exact.setScale(precision, RoundingMode.HALF_EVEN).toPlainString();
            case '%' ->
                exact.movePointRight(2)
                                .setScale(precision, RoundingMode.HALF_EVEN)
                                .toPlainString() + "%";
            case 'e' -> exponential(exact, precision);
            case 'g' -> general(exact, Math.max(1, precision));
            default -> throw unknown(type, "float");
        };
        return upper ? digits.toUpperCase(Locale.ROOT) : digits;
    }

    private static String exponential(BigDecimal value, int precision) {
        BigDecimal rounded = value.round(new MathContext(precision + 1, RoundingMode.HALF_EVEN));
        String digits = rounded.unscaledValue().toString();
        int exponent = value.signum() == 0 ? 0 : digits.length() - rounded.scale() - 1;
        digits = digits + "0".repeat(Math.max(0, precision + 1 - digits.length()));
        digits = digits.substring(0, precision + 1);
        return digits.charAt(0)
                + (precision > 0 ? "." + digits.substring(1) : "")
                + (exponent < 0 ? "e-" : "e+")
                + "%02d".formatted(Math.abs(exponent));
    }

    private static String general(BigDecimal value, int precision) {
        BigDecimal rounded = value.round(new MathContext(precision, RoundingMode.HALF_EVEN));
        if (rounded.signum() == 0) {
            return "0";
        }
        int exponent = rounded.precision() - rounded.scale() - 1;
        BigDecimal stripped = rounded.stripTrailingZeros();
        return exponent < -4 || exponent >= precision
                ? exponential(stripped, stripped.precision() - 1)
                : stripped.toPlainString();
    }

    static JinjaException unknown(char type, String of) {
        return new JinjaException("unknown format code '" + type + "' for an object of type '" + of + "'");
    }
}
