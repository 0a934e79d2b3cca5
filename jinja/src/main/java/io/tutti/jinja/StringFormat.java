package io.tutti.jinja;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Python's {@code str.format} and the {@code %} operator on text. */
final class StringFormat {
    private static final Pattern CONVERSION = Pattern.compile(
            "%(?:\\(([^)]*)\\))?([-+ #0]*)(\\*|[0-9]{1,9})?(?:\\.([0-9]{0,9}))?([hlL]?)(.)", Pattern.DOTALL);
    private static final Pattern PART = Pattern.compile("\\.([^.\\[]+)|\\[([^\\]]+)\\]");

    private final Budget budget;
    private final PythonText texts;

    StringFormat(Budget budget, PythonText texts) {
        this.budget = budget;
        this.texts = texts;
    }

    /** {@code template.format(…)}. */
    String format(String template, Arguments arguments) {
        StringBuilder out = new StringBuilder();
        int[] next = {0};
        for (int i = 0; i < template.length(); i++) {
            char c = template.charAt(i);
            if ((c == '{' || c == '}') && template.startsWith(c == '{' ? "{" : "}", i + 1)) {
                out.append(c);
                i++;
            } else if (c == '{') {
                int end = closing(template, i);
                append(out, field(template.substring(i + 1, end), arguments, next));
                i = end;
            } else if (c == '}') {
                throw new JinjaException("Single '}' encountered in format string");
            } else {
                out.append(c);
            }
        }
        return budget.text(out.toString());
    }

    private static int closing(String template, int open) {
        int depth = 0;
        for (int i = open; i < template.length(); i++) {
            char c = template.charAt(i);
            depth += c == '{' ? 1 : c == '}' ? -1 : 0;
            if (depth == 0) {
                return i;
            }
        }
        throw new JinjaException("expected '}' before end of string");
    }

    /** {@code name!conversion:spec}; {@code next} is the number of the next field without a name. */
    private String field(String field, Arguments arguments, int[] next) {
        int colon = field.indexOf(':');
        String head = colon < 0 ? field : field.substring(0, colon);
        int mark = head.indexOf('!');
        Object value = value(mark < 0 ? head : head.substring(0, mark), arguments, next);
        if (mark >= 0) {
            value = switch (head.substring(mark + 1)) {
                case "s" -> texts.str(value);
                case "r", "a" -> texts.repr(value);
                default -> throw new JinjaException("unknown conversion in " + PythonText.quoted(field));
            };
        }
        String spec = colon < 0 ? "" : field.substring(colon + 1);
        if (spec.indexOf('{') >= 0) {
            spec = nested(spec, arguments, next);
        }
        return spec.isEmpty() ? texts.str(value) : FormatSpec.parse(spec).apply(value, budget, texts);
    }

    private String nested(String spec, Arguments arguments, int[] next) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < spec.length(); i++) {
            if (spec.charAt(i) == '{') {
                int end = closing(spec, i);
                out.append(texts.str(value(spec.substring(i + 1, end), arguments, next)));
                i = end;
            } else {
                out.append(spec.charAt(i));
            }
        }
        return out.toString();
    }

    private static Object value(String name, Arguments arguments, int[] next) {
        int end = 0;
        while (end < name.length() && name.charAt(end) != '.' && name.charAt(end) != '[') {
            end++;
        }
        String first = name.substring(0, end);
        Object value;
        if (first.isEmpty() || first.chars().allMatch(c -> c >= '0' && c <= '9')) {
            long index = first.isEmpty() ? next[0]++ : first.length() > 9 ? Integer.MAX_VALUE : Long.parseLong(first);
            value = Items.get(arguments.positional(), index);
            if (value == Arguments.MISSING) {
                throw new JinjaException("Replacement index " + index + " out of range for positional args tuple");
            }
        } else {
            if (!arguments.named().containsKey(first)) {
                throw new JinjaException("format is missing the argument " + PythonText.quoted(first));
            }
            value = arguments.named().get(first);
        }
        Matcher part = PART.matcher(name).region(end, name.length());
        while (part.lookingAt()) {
            String key = part.group(1) != null ? part.group(1) : part.group(2);
            boolean isIndex =
                    part.group(2) != null && key.length() < 10 && key.chars().allMatch(c -> c >= '0' && c <= '9');
            Object element = Items.get(value, isIndex ? (Object) Long.valueOf(key) : key);
            value = element == Arguments.MISSING ? Undefined.in(value, key) : element;
            part.region(part.end(), name.length());
        }
        return value;
    }

    /** {@code template % values}. */
    Object percent(Object template, Object values) {
        if (template instanceof Markup markup) {
            return new Markup(percent(markup.text(), values));
        }
        return percent((String) template, values);
    }

    private String percent(String template, Object values) {
        Iterator<Object> rest =
                (values instanceof Tuple tuple ? tuple.items() : java.util.Arrays.asList(values)).iterator();
        StringBuilder out = new StringBuilder();
        boolean named = false;
        int from = 0;
        Matcher conversion = CONVERSION.matcher(template);
        for (int at = template.indexOf('%'); at >= 0; at = template.indexOf('%', from)) {
            append(out, template.substring(from, at));
            if (!conversion.region(at, template.length()).lookingAt()) {
                throw new JinjaException("incomplete format");
            }
            from = conversion.end();
            char type = conversion.group(6).charAt(0);
            if (type == '%') {
                out.append('%');
                continue;
            }
            int width = conversion.group(3) == null
                    ? 0
                    : conversion.group(3).equals("*")
                            ? Math.clamp(Types.integer(next(rest)), 0, Integer.MAX_VALUE)
                            : Integer.parseInt(conversion.group(3));
            named |= conversion.group(1) != null;
            Object value = conversion.group(1) == null ? next(rest) : named(values, conversion.group(1));
            String precision = conversion.group(4);
            int digits = precision == null ? -1 : precision.isEmpty() ? 0 : Integer.parseInt(precision);
            append(out, converted(conversion.group(2), width, digits, type, value));
        }
        append(out, template.substring(from));
        // Python accepts unused elements in anything that has elements by key, as it does in a dict.
        boolean keyed = values instanceof Map<?, ?> || values instanceof List<?> || values instanceof Undefined;
        if (rest.hasNext() && !named && !keyed) {
            throw new JinjaException("not all arguments converted during string formatting");
        }
        return budget.text(out.toString());
    }

    private static Object next(Iterator<Object> values) {
        if (!values.hasNext()) {
            throw new JinjaException("not enough arguments for format string");
        }
        return values.next();
    }

    private static Object named(Object values, String key) {
        if (!(values instanceof Map<?, ?> map)) {
            throw new JinjaException("format requires a mapping");
        }
        if (!map.containsKey(key)) {
            throw new JinjaException("format is missing the key " + PythonText.quoted(key));
        }
        return map.get(key);
    }

    private String converted(String flags, int width, int precision, char type, Object value) {
        return switch (type) {
            case 's' -> FormatSpec.percent(flags, width, precision, 's').apply(texts.str(value), budget, texts);
            case 'r', 'a' -> FormatSpec.percent(flags, width, precision, 's').apply(texts.repr(value), budget, texts);
            case 'd', 'i', 'u' -> {
                requireNumber(type, value);
                Object whole = value instanceof Double real
                        ? Filters.truncated(real)
                                .orElseThrow(() -> new JinjaException(
                                        "cannot convert float " + PythonText.real(real) + " to integer"))
                        : value;
                yield FormatSpec.percent(flags, width, -1, 'd').apply(whole, budget, texts);
            }
            case 'x', 'X', 'o', 'e', 'E', 'f', 'F', 'g', 'G' -> {
                requireNumber(type, value);
                yield FormatSpec.percent(flags, width, precision, type).apply(value, budget, texts);
            }
            case 'c' ->
                FormatSpec.percent(flags, width, -1, Types.isText(value) ? 's' : 'c')
                        .apply(value, budget, texts);
            default -> throw new JinjaException("unsupported format character '" + type + "'");
        };
    }

    private static void requireNumber(char type, Object value) {
        if (!Types.isNumber(value)) {
            throw new JinjaException("%" + type + " format: a real number is required, not " + Types.name(value));
        }
    }

    private void append(StringBuilder out, String text) {
        budget.step();
        budget.fits((long) out.length() + text.length());
        out.append(text);
    }
}
