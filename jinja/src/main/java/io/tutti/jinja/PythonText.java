package io.tutti.jinja;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Python's {@code str} and {@code repr}. */
final class PythonText {
    private static final int MAX_LENGTH_IN_MESSAGE = 100;

    private final Budget budget;

    PythonText(Budget budget) {
        this.budget = budget;
    }

    /** The text that {@code {{ value }}} prints. */
    String str(Object value) {
        return switch (value) {
            case String text -> text;
            case Markup markup -> markup.text();
            case Undefined _ -> "";
            case null, default -> repr(value);
        };
    }

    String repr(Object value) {
        StringBuilder out = new StringBuilder();
        repr(value, out);
        return budget.text(out.toString());
    }

    /** The text of {@code value} for joining to marked text: escaped, unless it is marked itself. */
    String markup(Object value) {
        if (value instanceof Markup markup) {
            return markup.text();
        }
        String text = str(value);
        budget.text(5L * text.length()); // An ampersand takes five.
        return Markup.escape(text);
    }

    private void repr(Object value, StringBuilder out) {
        switch (value) {
            case null -> out.append("None");
            case Boolean bool -> out.append(bool ? "True" : "False");
            case Long number -> out.append((long) number);
            case BigInteger number -> out.append(decimal(number));
            case Double number -> out.append(real(number));
            case String text -> quote(text, out);
            case Markup markup -> {
                out.append("Markup(");
                quote(markup.text(), out);
                out.append(')');
            }
            case Undefined _ -> out.append("Undefined");
            case Range range -> out.append(range);
            case Tuple tuple -> {
                elements(tuple.items().iterator(), "(", tuple.items().size() == 1 ? ",)" : ")", out);
            }
            case List<?> list -> elements(list.iterator(), "[", "]", out);
            case Map<?, ?> map -> entries(map, out);
            case DictView view -> {
                out.append(view.typeName()).append('(');
                elements(view.iterator(), "[", "])", out);
            }
            case Namespace namespace -> {
                out.append("<Namespace ");
                entries(namespace.attributes(), out);
                out.append('>');
            }
            case Loop loop -> out.append(loop);
            case Macro macro -> out.append(macro);
            // Python would print an address, which differs from run to run.
            default -> throw new JinjaException("a " + Types.name(value) + " cannot be printed");
        }
    }

    private void elements(Iterator<?> elements, String open, String close, StringBuilder out) {
        budget.enter();
        out.append(open);
        for (String separator = ""; elements.hasNext(); separator = ", ") {
            out.append(separator);
            element(elements.next(), out);
        }
        out.append(close);
        budget.leave();
    }

    private void entries(Map<?, ?> map, StringBuilder out) {
        budget.enter();
        out.append('{');
        String separator = "";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(separator);
            element(entry.getKey(), out);
            out.append(": ");
            element(entry.getValue(), out);
            separator = ", ";
        }
        out.append('}');
        budget.leave();
    }

    private void element(Object value, StringBuilder out) {
        repr(value, out);
        budget.step();
        budget.fits(out.length());
    }

    /** {@code text} in quotes, for messages. */
    static String quoted(String text) {
        StringBuilder out = new StringBuilder();
        quote(text.length() <= MAX_LENGTH_IN_MESSAGE ? text : text.substring(0, MAX_LENGTH_IN_MESSAGE) + "…", out);
        return out.toString();
    }

    /** A value's repr for messages; only simple values are written out. */
    static String shortRepr(Object value) {
        return switch (value) {
            case null -> "None";
            case String text -> quoted(text);
            case Long number -> number.toString();
            case Boolean bool -> bool ? "True" : "False";
            default -> "<" + Types.name(value) + ">";
        };
    }

    private static void quote(String text, StringBuilder out) {
        char quote = text.indexOf('\'') >= 0 && text.indexOf('"') < 0 ? '"' : '\'';
        out.append(quote);
        text.codePoints().forEach(c -> {
            switch (c) {
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c == quote) {
                        out.append('\\').append(quote);
                    } else if (Characters.isPrintable(c)) {
                        out.appendCodePoint(c);
                    } else if (c < 0x100) {
                        out.append("\\x%02x".formatted(c));
                    } else {
                        out.append((c < 0x10000 ? "\\u%04x" : "\\U%08x").formatted(c));
                    }
                }
            }
        });
        out.append(quote);
    }

    static String decimal(BigInteger number) {
        // A much larger number would take long to write.
        String digits = number.bitLength() > 4 * Arithmetic.MAX_DIGITS ? "" : number.toString();
        if (digits.isEmpty() || digits.length() > Arithmetic.MAX_DIGITS + 1) {
            throw new JinjaException("a number of more than " + Arithmetic.MAX_DIGITS + " digits cannot be written");
        }
        return digits;
    }

    /** Python's float repr: the fewest digits that read back, with an exponent below 1e-4 and from 1e16 on. */
    static String real(double value) {
        if (Double.isNaN(value)) {
            return "nan";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "inf" : "-inf";
        }
        if (value == 0) {
            return 1 / value < 0 ? "-0.0" : "0.0";
        }
        BigDecimal shortest = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        String digits = shortest.unscaledValue().abs().toString();
        String sign = value < 0 ? "-" : "";
        int exponent = digits.length() - shortest.scale() - 1;
        if (exponent >= -4 && exponent < 16) {
            String plain = shortest.abs().toPlainString();
            return sign + (plain.indexOf('.') < 0 ? plain + ".0" : plain);
        }
        String mantissa = digits.length() == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
        return sign + mantissa + "e" + (exponent < 0 ? "-" : "+") + "%02d".formatted(Math.abs(exponent));
    }
}
