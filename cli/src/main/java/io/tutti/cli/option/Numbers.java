package io.tutti.cli.option;

import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.UsageException;
import java.util.Locale;
import java.util.regex.Pattern;

/** Numbers as the command line takes them: plain decimals, {@code -?digits[.digits][e±digits]}, and nothing else. */
public final class Numbers {

    private static final Pattern INTEGER = Pattern.compile("-?[0-9]+");
    private static final Pattern DECIMAL = Pattern.compile("-?[0-9]+(\\.[0-9]+)?(e[+-]?[0-9]+)?");
    private static final String UNBOUNDED = "-1";
    private static final Pattern ZERO = Pattern.compile("-?[0.]+(e.*)?");
    /** 2^64 - 1 has 20 digits. */
    private static final int LONGEST_SEED = 20;

    private Numbers() {}

    /** An integer from {@code least} to {@code most}. */
    static int integer(String option, String text, int least, int most) {
        return integer(option, text, least, most, accepted(least, most));
    }

    private static int integer(String option, String text, int least, int most, String accepted) {
        if (!INTEGER.matcher(text).matches()) {
            throw UsageException.of(option, OneLine.quote(text), accepted);
        }
        try {
            int value = Integer.parseInt(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException _) {
            // More digits than an int has: refused below.
        }
        throw UsageException.of(option, shorten(text), accepted);
    }

    private static String accepted(int least, int most) {
        return "an integer from " + least + " to " + most;
    }

    /** An integer of at least 1. */
    static int positive(String option, String text) {
        return integer(option, text, 1, Integer.MAX_VALUE);
    }

    /** A finite number. */
    static double decimal(String option, String text) {
        if (!DECIMAL.matcher(text).matches()) {
            throw UsageException.of(option, OneLine.quote(text), "a number, such as 0.8, 2 or 1e-3");
        }
        double value = Double.parseDouble(text);
        if (Double.isInfinite(value)) {
            throw UsageException.of(option, shorten(text), "a number within the range of a double");
        }
        if (value == 0 && !ZERO.matcher(text).matches()) {
            throw UsageException.of(option, shorten(text), "0, or a number that a double tells from 0");
        }
        return value;
    }

    /** Tokens at most; {@link Integer#MAX_VALUE} for -1: as many as there is room for. */
    public static int maxTokens(String option, String text) {
        return text.equals(UNBOUNDED)
                ? Integer.MAX_VALUE
                : integer(
                        option,
                        text,
                        1,
                        Integer.MAX_VALUE,
                        accepted(1, Integer.MAX_VALUE) + ", or -1: until the context is full");
    }

    /** A number as it is typed: whole ones without a point. */
    public static String text(double value) {
        boolean whole = value == Math.rint(value) && Math.abs(value) <= Integer.MAX_VALUE;
        return whole ? String.format(Locale.ROOT, "%.0f", value) : String.valueOf(value);
    }

    /** A seed: 64 bits, unsigned. */
    public static long seed(String option, String text) {
        String digits = text.replaceFirst("^0+(?=[0-9])", "");
        try {
            if (INTEGER.matcher(digits).matches() && digits.length() <= LONGEST_SEED) {
                return Long.parseUnsignedLong(digits);
            }
        } catch (NumberFormatException _) {
            // Negative or too large: refused below.
        }
        throw UsageException.of(
                option, OneLine.quote(text), "an integer from 0 to 18446744073709551615 (2^64 - 1), or random");
    }

    /** Token ids with commas between. */
    static int[] tokens(String option, String text) {
        String[] parts = text.split(",", -1);
        int[] ids = new int[parts.length];
        for (int i = 0; i < parts.length; i++) {
            String part = parts[i].strip();
            try {
                if (!INTEGER.matcher(part).matches()) {
                    throw new NumberFormatException(part);
                }
                ids[i] = Integer.parseInt(part);
            } catch (NumberFormatException _) {
                throw new UsageException(option + " has " + OneLine.quote(part) + " at place " + (i + 1)
                        + "; accepted: token ids with commas between, such as 1,2,3");
            }
        }
        return ids;
    }

    private static String shorten(String digits) {
        String quoted = OneLine.quote(digits);
        return quoted.substring(1, quoted.length() - 1);
    }
}
