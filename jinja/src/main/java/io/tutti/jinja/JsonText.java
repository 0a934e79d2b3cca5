package io.tutti.jinja;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Python's {@code json.dumps}.
 *
 * @param ascii escape everything but ASCII
 * @param indent the indentation of a level; empty for a single line
 * @param itemSeparator the text between elements
 * @param keySeparator the text after a key
 * @param sorted sort the keys of objects
 */
record JsonText(
        Budget budget,
        boolean ascii,
        Optional<String> indent,
        String itemSeparator,
        String keySeparator,
        boolean sorted) {

    String write(Object value) {
        StringBuilder out = new StringBuilder();
        value(value, 0, out);
        return budget.text(out.toString());
    }

    private void value(Object value, int level, StringBuilder out) {
        budget.step();
        budget.fits(out.length());
        switch (value) {
            case null -> out.append("null");
            case Boolean bool -> out.append(bool);
            case Long number -> out.append((long) number);
            case BigInteger number -> out.append(PythonText.decimal(number));
            case Double number -> out.append(real(number));
            case String text -> quote(text, out);
            case Markup markup -> quote(markup.text(), out);
            case Tuple tuple -> list(tuple.items(), level, out);
            case Range _ -> throw notSerializable(value);
            case List<?> list -> list(list, level, out);
            case Map<?, ?> map -> object(map, level, out);
            default -> throw notSerializable(value);
        }
    }

    private static JinjaException notSerializable(Object value) {
        return new JinjaException("Object of type " + Types.name(value) + " is not JSON serializable");
    }

    private void list(List<?> list, int level, StringBuilder out) {
        if (list.isEmpty()) {
            out.append("[]");
            return;
        }
        budget.enter();
        out.append('[');
        for (Iterator<?> items = list.iterator(); items.hasNext(); ) {
            newline(level + 1, out);
            value(items.next(), level + 1, out);
            out.append(items.hasNext() ? itemSeparator : "");
        }
        newline(level, out);
        out.append(']');
        budget.leave();
    }

    private void object(Map<?, ?> map, int level, StringBuilder out) {
        if (map.isEmpty()) {
            out.append("{}");
            return;
        }
        budget.enter();
        out.append('{');
        for (Iterator<? extends Map.Entry<?, ?>> entries = entries(map).iterator(); entries.hasNext(); ) {
            Map.Entry<?, ?> entry = entries.next();
            newline(level + 1, out);
            quote(key(entry.getKey()), out);
            out.append(keySeparator);
            value(entry.getValue(), level + 1, out);
            out.append(entries.hasNext() ? itemSeparator : "");
        }
        newline(level, out);
        out.append('}');
        budget.leave();
    }

    private List<? extends Map.Entry<?, ?>> entries(Map<?, ?> map) {
        List<Map.Entry<?, ?>> entries = new ArrayList<>(map.entrySet());
        if (sorted) {
            Comparisons comparisons = new Comparisons(budget);
            entries.sort((a, b) -> comparisons.compare("<", a.getKey(), b.getKey()));
        }
        return entries;
    }

    private static String key(Object key) {
        return switch (key) {
            case null -> "null";
            case String text -> text;
            case Boolean bool -> bool.toString();
            case Long number -> number.toString();
            case BigInteger number -> PythonText.decimal(number);
            case Double number -> real(number);
            default -> throw new JinjaException("keys must be str, int, float, bool or None, not " + Types.name(key));
        };
    }

    private static String real(double value) {
        if (Double.isNaN(value)) {
            return "NaN";
        }
        return Double.isInfinite(value) ? (value > 0 ? "Infinity" : "-Infinity") : PythonText.real(value);
    }

    private void newline(int level, StringBuilder out) {
        if (indent.isPresent()) {
            out.append('\n');
            budget.fits(out.length() + (long) indent.get().length() * level);
            out.repeat(indent.get(), level);
        }
    }

    private void quote(String text, StringBuilder out) {
        budget.fits(out.length() + (long) text.length());
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                case '\f' -> out.append("\\f");
                case '\b' -> out.append("\\b");
                default -> {
                    if (c < ' ' || (ascii && c > '~')) {
                        out.append("\\u%04x".formatted((int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
