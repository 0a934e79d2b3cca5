package io.tutti.jinja;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Jinja's filters. Those on lists and dicts are in {@link SequenceFilters}, those on text and numbers here. */
final class Filters {
    private static final Set<String> NAMES = Set.of(
            "abs",
            "capitalize",
            "center",
            "d",
            "default",
            "e",
            "escape",
            "float",
            "forceescape",
            "format",
            "indent",
            "int",
            "lower",
            "replace",
            "round",
            "safe",
            "string",
            "title",
            "tojson",
            "trim",
            "truncate",
            "upper",
            "urlencode",
            "wordcount");

    private static final Set<String> WITHOUT_ARGUMENTS = Set.of(
            "abs",
            "capitalize",
            "e",
            "escape",
            "forceescape",
            "lower",
            "safe",
            "string",
            "title",
            "upper",
            "urlencode",
            "wordcount");

    /** Filters of Jinja that chat templates have no use for. */
    private static final Set<String> UNSUPPORTED =
            Set.of("filesizeformat", "pprint", "random", "striptags", "urlize", "wordwrap", "xmlattr");

    private static final Pattern WORD_BEGIN = Pattern.compile("[-\\s(\\{\\[<]+", Pattern.UNICODE_CHARACTER_CLASS);

    private final Budget budget;
    private final PythonText texts;
    private final StringMethods strings;
    private final StringFormat format;
    private final Arithmetic arithmetic;
    private final SequenceFilters sequences;

    Filters(
            Budget budget,
            PythonText texts,
            StringMethods strings,
            StringFormat format,
            Arithmetic arithmetic,
            SequenceFilters sequences) {
        this.budget = budget;
        this.texts = texts;
        this.strings = strings;
        this.format = format;
        this.arithmetic = arithmetic;
        this.sequences = sequences;
    }

    /** Whether Jinja has the filter, supported here or not. */
    static boolean isKnown(String name) {
        return exists(name) || UNSUPPORTED.contains(name);
    }

    static boolean exists(String name) {
        return NAMES.contains(name) || SequenceFilters.NAMES.contains(name);
    }

    /** {@code input | name(arguments)}. */
    Object apply(String name, Object input, Arguments arguments) {
        if (Types.isText(input)) {
            budget.scan(Types.text(input).length());
        }
        if (SequenceFilters.NAMES.contains(name)) {
            return sequences.apply(name, input, arguments, this);
        }
        if (WITHOUT_ARGUMENTS.contains(name)) {
            arguments.bind(name);
        }
        return switch (name) {
            case "abs" -> abs(input);
            case "capitalize" -> same(input, budget.text(StringMethods.capitalize(texts.str(input))));
            case "center" -> {
                long width = Types.integer(Arguments.or(arguments.bind(name, "width")[0], 80L));
                yield same(input, strings.center(texts.str(input), width));
            }
            case "d", "default" -> {
                Object[] bound = arguments.bind(name, "default_value", "boolean");
                boolean anyFalse = Types.truth(Arguments.or(bound[1], false));
                yield input instanceof Undefined || (anyFalse && !Types.truth(input))
                        ? Arguments.or(bound[0], "")
                        : input;
            }
            case "e", "escape" -> input instanceof Markup ? input : new Markup(texts.markup(input));
            case "forceescape" -> new Markup(texts.markup(texts.str(input)));
            case "float" -> toFloat(input, Arguments.or(arguments.bind(name, "default")[0], 0.0));
            case "format" -> format(input, arguments);
            case "indent" -> indent(input, arguments);
            case "int" -> toInt(input, arguments);
            case "lower" -> same(input, budget.text(texts.str(input).toLowerCase(Locale.ROOT)));
            case "replace" -> {
                Object[] bound = arguments.bindRequiring(2, name, "old", "new", "count");
                Object count = Arguments.or(bound[2], null);
                yield strings.replace(
                        texts.str(input),
                        texts.str(bound[0]),
                        texts.str(bound[1]),
                        count == null ? -1 : Types.integer(count));
            }
            case "round" -> round(input, arguments);
            case "safe" -> new Markup(texts.str(input));
            case "string" -> input instanceof Markup ? input : texts.str(input);
            case "title" -> same(input, title(texts.str(input)));
            case "tojson" -> toJson(input, arguments);
            case "trim" -> same(input, strings.strip(texts.str(input), name, arguments, true, true));
            case "truncate" -> truncate(input, arguments);
            case "upper" -> same(input, budget.text(texts.str(input).toUpperCase(Locale.ROOT)));
            case "urlencode" -> urlEncode(input);
            case "wordcount" -> wordCount(texts.str(input));
            default ->
                throw new JinjaException(
                        UNSUPPORTED.contains(name)
                                ? "the filter " + name + " is not supported in chat templates"
                                : unknown(name));
        };
    }

    static String unknown(String name) {
        return "No filter named " + PythonText.quoted(name) + ".";
    }

    /** {@code text}, marked if {@code input} is. */
    private static Object same(Object input, String text) {
        return input instanceof Markup ? new Markup(text) : text;
    }

    private Object abs(Object input) {
        if (!Types.isNumber(input)) {
            throw input instanceof Undefined undefined
                    ? undefined.raised()
                    : new JinjaException("bad operand type for abs(): " + PythonText.quoted(Types.name(input)));
        }
        return input instanceof Double real
                ? (Object) Math.abs(real)
                : Arithmetic.integer(Arithmetic.big(input).abs());
    }

    private Object format(Object input, Arguments arguments) {
        if (!arguments.positional().isEmpty() && !arguments.named().isEmpty()) {
            throw new JinjaException("can't handle positional and keyword arguments at the same time");
        }
        Object values = arguments.named().isEmpty() ? new Tuple(arguments.positional()) : arguments.named();
        return format.percent(input instanceof Markup ? input : texts.str(input), values);
    }

    private Object indent(Object input, Arguments arguments) {
        Object[] bound = arguments.bind("indent", "width", "first", "blank");
        Object width = Arguments.or(bound[0], 4L);
        boolean first = Types.truth(Arguments.or(bound[1], false));
        boolean blank = Types.truth(Arguments.or(bound[2], false));
        if (!Types.isText(input)) {
            arithmetic.apply("+", input, "\n"); // Throws the right message.
        }
        String indention = Types.isText(width) ? Types.text(width) : blanks(Types.integer(width));
        List<Object> lines = strings.lines(Types.text(input) + "\n");
        StringBuilder out = new StringBuilder(first ? indention : "");
        for (int i = 0; i < lines.size(); i++) {
            String line = (String) lines.get(i);
            String before = i == 0 ? "" : blank || !line.isEmpty() ? "\n" + indention : "\n";
            budget.fits((long) out.length() + before.length() + line.length());
            out.append(before).append(line);
        }
        return same(input, budget.text(out.toString()));
    }

    private String blanks(long width) {
        budget.text(width);
        return " ".repeat((int) Math.max(0, width));
    }

    private Object toInt(Object input, Arguments arguments) {
        Object[] bound = arguments.bind("int", "default", "base");
        long base = Types.integer(Arguments.or(bound[1], 10L));
        budget.steps(Types.isText(input) ? Types.text(input).length() : 0);
        Optional<Object> value = Types.isText(input)
                ? Numerals.integer(Types.text(input), base)
                        .or(() -> Numerals.real(Types.text(input)).flatMap(Filters::truncated))
                : input instanceof Double real
                        ? truncated(real)
                        : Optional.ofNullable(
                                Types.isInteger(input) ? Arithmetic.integer(Arithmetic.big(input)) : null);
        if (input instanceof Undefined undefined) {
            throw undefined.raised();
        }
        return value.orElse(Arguments.or(bound[0], 0L));
    }

    /** {@code int(value)}; empty for NaN and infinities. */
    static Optional<Object> truncated(double value) {
        return Double.isNaN(value) || Double.isInfinite(value)
                ? Optional.empty()
                : Optional.of(Arithmetic.integer(new BigDecimal(value).toBigInteger()));
    }

    private static Object toFloat(Object input, Object otherwise) {
        if (input instanceof Undefined undefined) {
            throw undefined.raised();
        }
        if (Types.isNumber(input)) {
            return Arithmetic.real(input);
        }
        return Types.isText(input)
                ? Numerals.real(Types.text(input)).map(value -> (Object) value).orElse(otherwise)
                : otherwise;
    }

    private Object round(Object input, Arguments arguments) {
        Object[] bound = arguments.bind("round", "precision", "method");
        int precision = Math.clamp(Types.integer(Arguments.or(bound[0], 0L)), -400, 400);
        String method = Types.text(Arguments.or(bound[1], "common"));
        RoundingMode mode = switch (method) {
            case "common" -> RoundingMode.HALF_EVEN;
            case "ceil" -> RoundingMode.CEILING;
            case "floor" -> RoundingMode.FLOOR;
            default -> throw new JinjaException("method must be common, ceil or floor");
        };
        if (!Types.isNumber(input)) {
            throw input instanceof Undefined undefined
                    ? undefined.raised()
                    : new JinjaException("type " + Types.name(input) + " doesn't define __round__ method");
        }
        if (mode == RoundingMode.HALF_EVEN) {
            return input instanceof Double real
                    ? (Object)
                            (Double.isFinite(real)
                                    ? new BigDecimal(real)
                                            .setScale(precision, mode)
                                            .doubleValue()
                                    : real)
                    : Arithmetic.integer(rounded(Arithmetic.big(input), precision));
        }
        double scale = Math.pow(10, precision);
        double scaled = Arithmetic.real(input) * scale;
        return (mode == RoundingMode.CEILING ? Math.ceil(scaled) : Math.floor(scaled)) / scale;
    }

    private static BigInteger rounded(BigInteger value, int precision) {
        return precision >= 0
                ? value
                : new BigDecimal(value)
                        .setScale(precision, RoundingMode.HALF_EVEN)
                        .toBigInteger();
    }

    private String title(String text) {
        StringBuilder title = new StringBuilder();
        Matcher separator = WORD_BEGIN.matcher(text);
        int from = 0;
        while (from < text.length()) {
            boolean found = separator.find(from);
            int end = found ? separator.start() : text.length();
            if (end > from) {
                int first = text.offsetByCodePoints(from, 1);
                title.append(text.substring(from, first).toUpperCase(Locale.ROOT));
                title.append(text.substring(first, end).toLowerCase(Locale.ROOT));
            }
            title.append(found ? separator.group() : "");
            from = found ? separator.end() : end;
        }
        return budget.text(title.toString());
    }

    private Object truncate(Object input, Arguments arguments) {
        Object[] bound = arguments.bind("truncate", "length", "killwords", "end", "leeway");
        String end = Types.text(Arguments.or(bound[2], "..."));
        long length = Types.integer(Arguments.or(bound[0], 255L));
        long endLength = end.codePointCount(0, end.length());
        Object given = Arguments.or(bound[3], null);
        long leeway = given == null ? 5 : Types.integer(given);
        if (length < endLength) {
            throw new JinjaException("expected length >= " + endLength + ", got " + length);
        }
        if (leeway < 0) {
            throw new JinjaException("expected leeway >= 0, got " + leeway);
        }
        // Subtracted, because length + leeway may overflow.
        if (sequences.length(input) - length <= leeway) {
            return input;
        }
        String text = Types.text(input);
        String kept = text.substring(0, text.offsetByCodePoints(0, (int) (length - endLength)));
        if (!Types.truth(Arguments.or(bound[1], false)) && kept.indexOf(' ') >= 0) {
            kept = kept.substring(0, kept.lastIndexOf(' '));
        }
        return same(input, budget.text(kept + end));
    }

    private String urlEncode(Object input) {
        if (Types.isText(input) || !Types.isIterable(input)) {
            return quoteUrl(texts.str(input), false);
        }
        List<String> pairs = new ArrayList<>();
        Object items = input instanceof Map<?, ?> map ? new DictView(DictView.Kind.ITEMS, map) : input;
        for (Iterator<Object> entries = Types.iterate(items); entries.hasNext(); ) {
            List<Object> pair = Types.listOf(entries.next(), budget);
            if (pair.size() != 2) {
                throw new JinjaException("urlencode needs pairs of a key and a value");
            }
            pairs.add(quoteUrl(texts.str(pair.get(0)), true) + "=" + quoteUrl(texts.str(pair.get(1)), true));
        }
        return budget.text(String.join("&", pairs));
    }

    private String quoteUrl(String text, boolean inQuery) {
        budget.text(3L * text.length());
        String encoded = URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("*", "%2A")
                .replace("%7E", "~");
        return inQuery
                ? encoded.replace("%2F", "%2F")
                : encoded.replace("+", "%20").replace("%2F", "/");
    }

    private static long wordCount(String text) {
        long words = 0;
        boolean inWord = false;
        for (int c : text.codePoints().toArray()) {
            boolean word = Characters.isWord(c);
            words += word && !inWord ? 1 : 0;
            inWord = word;
        }
        return words;
    }

    /** The filter as transformers defines it: unlike Jinja's, it escapes nothing for HTML. */
    private String toJson(Object input, Arguments arguments) {
        Object[] bound = arguments.bind("tojson", "ensure_ascii", "indent", "separators", "sort_keys");
        Object indent = Arguments.or(bound[1], null);
        Object separators = Arguments.or(bound[2], null);
        String item = indent == null ? ", " : ",";
        String key = ": ";
        if (separators != null) {
            List<Object> pair = Types.listOf(separators, budget);
            if (pair.size() != 2) {
                throw new JinjaException("tojson needs two separators");
            }
            item = Types.text(pair.get(0));
            key = Types.text(pair.get(1));
        }
        return new JsonText(
                        budget,
                        Types.truth(Arguments.or(bound[0], false)),
                        Optional.ofNullable(indent)
                                .map(by -> Types.isText(by) ? Types.text(by) : blanks(Types.integer(by))),
                        item,
                        key,
                        Types.truth(Arguments.or(bound[3], false)))
                .write(input);
    }
}
