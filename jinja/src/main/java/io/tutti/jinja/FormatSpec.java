package io.tutti.jinja;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How one value is written: the part after the colon of a field of {@code str.format}, or a conversion of the {@code %}
 * operator.
 *
 * @param fill a character
 * @param align {@code <}, {@code >}, {@code ^}, {@code =}, or 0 for the type's own
 * @param sign {@code +}, {@code -} or a blank
 * @param width in characters, at least
 * @param grouping {@code ,} or {@code _} between thousands, or 0
 * @param precision -1 if none is given
 * @param type 0 if none is given
 */
record FormatSpec(
        String fill, char align, char sign, boolean alternate, int width, char grouping, int precision, char type) {
    private static final Pattern SPEC = Pattern.compile(
            "(?:(.)?([<>^=]))?([-+ ])?(#)?(0)?([0-9]{1,9})?([,_])?(?:\\.([0-9]{1,9}))?([a-zA-Z%])?", Pattern.DOTALL);

    static FormatSpec parse(String spec) {
        Matcher matcher = SPEC.matcher(spec);
        if (!matcher.matches()) {
            throw new JinjaException("invalid format specifier " + PythonText.quoted(spec));
        }
        boolean zero = matcher.group(5) != null;
        return new FormatSpec(
                matcher.group(1) != null ? matcher.group(1) : zero && matcher.group(2) == null ? "0" : " ",
                matcher.group(2) != null ? matcher.group(2).charAt(0) : zero ? '=' : 0,
                charOf(matcher.group(3), '-'),
                matcher.group(4) != null,
                number(matcher.group(6), 0),
                charOf(matcher.group(7), (char) 0),
                number(matcher.group(8), -1),
                charOf(matcher.group(9), (char) 0));
    }

    private static char charOf(String group, char otherwise) {
        return group == null ? otherwise : group.charAt(0);
    }

    private static int number(String group, int otherwise) {
        return group == null ? otherwise : Integer.parseInt(group);
    }

    String apply(Object value, Budget budget, PythonText texts) {
        if (Types.isNumber(value) && !(value instanceof Boolean && type == 0)) {
            return number(value, budget);
        }
        if (type != 0 && type != 's') {
            throw NumberFormat.unknown(type, Types.name(value));
        }
        if (!Types.isText(value) && !(value instanceof Boolean) && (width > 0 || align != 0)) {
            throw new JinjaException("unsupported format string passed to " + Types.name(value) + ".__format__");
        }
        String text = texts.str(value);
        if (precision >= 0 && precision < text.codePointCount(0, text.length())) {
            text = text.substring(0, text.offsetByCodePoints(0, precision));
        }
        return padded("", text, align == 0 ? '<' : align, budget);
    }

    private String number(Object value, Budget budget) {
        boolean asReal = value instanceof Double || (type != 0 && "eEfFgG%".indexOf(type) >= 0);
        String digits;
        boolean negative;
        if (asReal) {
            double real = Arithmetic.real(value);
            negative = real < 0 || (real == 0 && 1 / real < 0);
            double size = Math.abs(real);
            digits = type == 0 && precision < 0
                    ? PythonText.real(size)
                    : NumberFormat.real(size, type == 0 ? 'g' : type, precision < 0 ? 6 : precision);
        } else if (type == 'c') {
            long code = Types.integer(value);
            if (code < 0 || code > Character.MAX_CODE_POINT) {
                throw new JinjaException("a character code must be in range(0x110000)");
            }
            digits = Character.toString((int) code);
            negative = false;
        } else {
            negative = Arithmetic.big(value).signum() < 0;
            char form = type == 0 || type == 'n' ? 'd' : type;
            digits = NumberFormat.integer(Arithmetic.big(value).abs(), form, alternate);
        }
        String sign = negative ? "-" : this.sign == '-' ? "" : Character.toString(this.sign);
        return padded(sign, grouping == 0 ? digits : grouped(digits), align == 0 ? '>' : align, budget);
    }

    private String grouped(String digits) {
        int end = 0;
        while (end < digits.length() && Character.isDigit(digits.charAt(end))) {
            end++;
        }
        StringBuilder grouped = new StringBuilder(digits);
        for (int at = end - 3; at > 0; at -= 3) {
            grouped.insert(at, grouping);
        }
        return grouped.toString();
    }

    private String padded(String sign, String text, char align, Budget budget) {
        int missing = Math.max(0, width - sign.length() - text.codePointCount(0, text.length()));
        budget.text((long) missing + text.length());
        return switch (align) {
            case '<' -> sign + text + fill.repeat(missing);
            case '^' -> fill.repeat(missing / 2) + sign + text + fill.repeat(missing - missing / 2);
            case '=' -> sign + fill.repeat(missing) + text;
            default -> fill.repeat(missing) + sign + text;
        };
    }

    /** The specification of one conversion of the {@code %} operator, such as {@code %-5.2f}. */
    static FormatSpec percent(String flags, int width, int precision, char type) {
        boolean left = flags.contains("-");
        boolean zero = flags.contains("0") && !left && "dxXofFeEgG".indexOf(type) >= 0;
        char sign = flags.contains("+") ? '+' : flags.contains(" ") ? ' ' : '-';
        return new FormatSpec(
                zero ? "0" : " ",
                left ? '<' : zero ? '=' : '>',
                sign,
                flags.contains("#"),
                width,
                (char) 0,
                precision,
                type);
    }
}
