package io.tutti.jinja;

import java.math.BigInteger;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Parses numbers as Python does. */
final class Numerals {
    private static final Pattern REAL =
            Pattern.compile("[-+]?(?:(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][-+]?[0-9]+)?|inf(?:inity)?|nan)");
    private static final Pattern GROUPED = Pattern.compile("(?<=[0-9a-zA-Z])_(?=[0-9a-zA-Z])");

    private Numerals() {}

    /** {@code int(text, base)}; empty if that is an error. */
    static Optional<Object> integer(String text, long base) {
        String digits = GROUPED.matcher(stripped(text)).replaceAll("").toLowerCase(Locale.ROOT);
        boolean negative = digits.startsWith("-");
        if (negative || digits.startsWith("+")) {
            digits = digits.substring(1);
        }
        String prefix = digits.length() > 2 && digits.charAt(0) == '0' ? digits.substring(0, 2) : "";
        long ofPrefix = switch (prefix) {
            case "0x" -> 16;
            case "0o" -> 8;
            case "0b" -> 2;
            default -> 0;
        };
        if (ofPrefix != 0 && (base == ofPrefix || base == 0)) {
            digits = digits.substring(2);
        }
        long radix = base != 0 ? base : ofPrefix != 0 ? ofPrefix : 10;
        boolean plain = !digits.isEmpty() && digits.chars().allMatch(c -> c < 0x80 && Character.isLetterOrDigit(c));
        if (!plain || digits.length() > Arithmetic.MAX_DIGITS || radix < 2 || radix > 36) {
            return Optional.empty();
        }
        try {
            BigInteger value = new BigInteger(digits, (int) radix);
            return Optional.of(Arithmetic.integer(negative ? value.negate() : value));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** {@code float(text)}; empty if that is an error. */
    static Optional<Double> real(String text) {
        String digits = GROUPED.matcher(stripped(text)).replaceAll("").toLowerCase(Locale.ROOT);
        if (!REAL.matcher(digits).matches()) {
            return Optional.empty();
        }
        boolean negative = digits.startsWith("-");
        return Optional.of(
                digits.endsWith("nan")
                        ? Double.NaN
                        : digits.contains("inf")
                                ? (negative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY)
                                : Double.parseDouble(digits));
    }

    private static String stripped(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && Characters.isSpace(text.charAt(from))) {
            from++;
        }
        while (to > from && Characters.isSpace(text.charAt(to - 1))) {
            to--;
        }
        return text.substring(from, to);
    }
}
