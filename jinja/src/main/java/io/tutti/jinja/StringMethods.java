package io.tutti.jinja;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntPredicate;

/** The methods of Python's str. */
final class StringMethods {
    private final Budget budget;
    private final StringFormat format;
    private final Splitting splitting;

    StringMethods(Budget budget, StringFormat format) {
        this.budget = budget;
        this.format = format;
        this.splitting = new Splitting(budget);
    }

    /** The method {@code name} of {@code self}, if str has one. */
    Optional<Callable> find(String self, String name) {
        budget.scan(self.length());
        return Optional.ofNullable(
                switch (name) {
                    case "capitalize" -> none(name, () -> budget.text(capitalize(self)));
                    case "casefold" ->
                        none(
                                name,
                                () -> budget.text(self.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT)));
                    case "center", "ljust", "rjust" -> arguments -> pad(self, name, arguments);
                    case "count" -> arguments -> count(self, arguments);
                    case "endswith" -> arguments -> hasAffix(self, name, arguments, String::endsWith);
                    case "expandtabs" -> arguments -> expandTabs(self, arguments);
                    case "find" -> arguments -> find(self, arguments, name, false);
                    case "format" -> arguments -> format.format(self, arguments);
                    case "index" -> arguments -> found(find(self, arguments, name, false));
                    case "isalnum" -> none(name, () -> all(self, Character::isLetterOrDigit));
                    case "isalpha" -> none(name, () -> all(self, Character::isLetter));
                    case "isascii" -> none(name, () -> self.chars().allMatch(c -> c < 0x80));
                    case "isdecimal", "isdigit", "isnumeric" -> none(name, () -> all(self, Character::isDigit));
                    case "islower" -> none(name, () -> isCased(self, Character::isLowerCase, Character::isUpperCase));
                    case "isprintable" -> none(name, () -> self.codePoints().allMatch(Characters::isPrintable));
                    case "isspace" -> none(name, () -> all(self, Characters::isSpace));
                    case "isupper" -> none(name, () -> isCased(self, Character::isUpperCase, Character::isLowerCase));
                    case "join" -> arguments -> join(self, arguments);
                    case "lower" -> none(name, () -> budget.text(self.toLowerCase(Locale.ROOT)));
                    case "lstrip" -> arguments -> strip(self, name, arguments, true, false);
                    case "partition" -> arguments -> splitting.partition(self, arguments);
                    case "removeprefix" ->
                        arguments -> {
                            String prefix = Types.text(arguments.bindRequiring(1, name, "prefix")[0]);
                            return budget.text(self.startsWith(prefix) ? self.substring(prefix.length()) : self);
                        };
                    case "removesuffix" ->
                        arguments -> {
                            String suffix = Types.text(arguments.bindRequiring(1, name, "suffix")[0]);
                            boolean there = !suffix.isEmpty() && self.endsWith(suffix);
                            return budget.text(there ? self.substring(0, self.length() - suffix.length()) : self);
                        };
                    case "replace" ->
                        arguments -> {
                            Object[] bound = arguments.bindRequiring(2, name, "old", "new", "count");
                            long count = bound[2] == Arguments.MISSING ? -1 : Types.integer(bound[2]);
                            return replace(self, Types.text(bound[0]), Types.text(bound[1]), count);
                        };
                    case "rfind" -> arguments -> find(self, arguments, name, true);
                    case "rindex" -> arguments -> found(find(self, arguments, name, true));
                    case "rpartition" -> arguments -> splitting.rpartition(self, arguments);
                    case "rsplit" -> arguments -> splitting.rsplit(self, arguments);
                    case "rstrip" -> arguments -> strip(self, name, arguments, false, true);
                    case "split" -> arguments -> splitting.split(self, arguments);
                    case "splitlines" -> arguments -> splitting.lines(self, arguments);
                    case "startswith" -> arguments -> hasAffix(self, name, arguments, String::startsWith);
                    case "strip" -> arguments -> strip(self, name, arguments, true, true);
                    case "swapcase" -> none(name, () -> budget.text(swapCase(self)));
                    case "title" -> none(name, () -> budget.text(title(self)));
                    case "upper" -> none(name, () -> budget.text(self.toUpperCase(Locale.ROOT)));
                    case "zfill" -> arguments -> zfill(self, arguments);
                    default -> null;
                });
    }

    private static Callable none(String name, java.util.function.Supplier<Object> result) {
        return arguments -> {
            arguments.bind(name);
            return result.get();
        };
    }

    private static boolean all(String text, IntPredicate kind) {
        return !text.isEmpty() && text.codePoints().allMatch(kind);
    }

    private static boolean isCased(String text, IntPredicate wanted, IntPredicate other) {
        return text.codePoints().anyMatch(wanted) && text.codePoints().noneMatch(other);
    }

    static boolean isLower(String text) {
        return isCased(text, Character::isLowerCase, Character::isUpperCase);
    }

    static boolean isUpper(String text) {
        return isCased(text, Character::isUpperCase, Character::isLowerCase);
    }

    static String capitalize(String text) {
        if (text.isEmpty()) {
            return text;
        }
        int first = text.offsetByCodePoints(0, 1);
        return titleCase(text.codePointAt(0)) + text.substring(first).toLowerCase(Locale.ROOT);
    }

    /** A character at the start of a word; ß, which has no capital, becomes Ss. */
    private static String titleCase(int c) {
        String upper = Character.toString(c).toUpperCase(Locale.ROOT);
        int first = upper.offsetByCodePoints(0, 1);
        return first < upper.length()
                ? upper.substring(0, first) + upper.substring(first).toLowerCase(Locale.ROOT)
                : Character.toString(Character.toTitleCase(c));
    }

    private static String title(String text) {
        StringBuilder title = new StringBuilder();
        boolean inWord = false;
        for (int c : text.codePoints().toArray()) {
            title.append(inWord ? Character.toString(Character.toLowerCase(c)) : titleCase(c));
            inWord = Character.isLetter(c);
        }
        return title.toString();
    }

    private static String swapCase(String text) {
        StringBuilder swapped = new StringBuilder();
        text.codePoints().mapToObj(Character::toString).forEach(c -> {
            boolean lower = Character.isLowerCase(c.codePointAt(0));
            swapped.append(lower ? c.toUpperCase(Locale.ROOT) : c.toLowerCase(Locale.ROOT));
        });
        return swapped.toString();
    }

    private String pad(String text, String name, Arguments arguments) {
        Object[] bound = arguments.bindRequiring(1, name, "width", "fillchar");
        String fill = bound[1] == Arguments.MISSING ? " " : Types.text(bound[1]);
        if (fill.codePointCount(0, fill.length()) != 1) {
            throw new JinjaException("The fill character must be exactly one character long");
        }
        long width = Types.integer(bound[0]);
        long missing = missing(text, width);
        budget.text(missing * fill.length() + text.length());
        // If the halves differ, Python puts the larger one on the left when the width is odd.
        long left = switch (name) {
            case "ljust" -> 0;
            case "rjust" -> missing;
            default -> missing / 2 + (missing & width & 1);
        };
        return fill.repeat((int) left) + text + fill.repeat((int) (missing - left));
    }

    /** The number of characters that {@code text} lacks to a width, clamped so that later sums cannot overflow. */
    private static long missing(String text, long width) {
        return Math.clamp(Math.max(0, width) - text.codePointCount(0, text.length()), 0, 1L << 40);
    }

    String center(String text, long width) {
        return pad(text, "center", Arguments.of(width));
    }

    private String zfill(String text, Arguments arguments) {
        long width = Types.integer(arguments.bindRequiring(1, "zfill", "width")[0]);
        long missing = missing(text, width);
        budget.text(missing + text.length());
        int sign = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
        return text.substring(0, sign) + "0".repeat((int) missing) + text.substring(sign);
    }

    private String expandTabs(String text, Arguments arguments) {
        Object[] bound = arguments.bind("expandtabs", "tabsize");
        int size = Math.clamp(Types.integer(Arguments.or(bound[0], 8L)), 0, 1 << 20);
        StringBuilder expanded = new StringBuilder();
        int column = 0;
        for (int c : text.codePoints().toArray()) {
            if (c == '\t') {
                int blanks = size == 0 ? 0 : size - column % size;
                budget.fits(expanded.length() + (long) blanks);
                expanded.repeat(' ', blanks);
                column += blanks;
            } else {
                expanded.appendCodePoint(c);
                column = c == '\n' || c == '\r' ? 0 : column + 1;
            }
        }
        return budget.text(expanded.toString());
    }

    /** The range of {@code text} between optional start and end arguments, which count characters, in UTF-16 units. */
    private static int[] within(String text, Object start, Object end) {
        int length = text.codePointCount(0, text.length());
        SliceBounds bounds = SliceBounds.of(
                length, start == Arguments.MISSING ? null : start, end == Arguments.MISSING ? null : end, null);
        int from = text.offsetByCodePoints(0, (int) bounds.start());
        int to = bounds.stop() <= bounds.start()
                ? from
                : text.offsetByCodePoints(from, (int) (bounds.stop() - bounds.start()));
        return new int[] {from, to};
    }

    private long count(String text, Arguments arguments) {
        Object[] bound = arguments.bindRequiring(1, "count", "sub", "start", "end");
        String needle = Types.text(bound[0]);
        int[] range = within(text, bound[1], bound[2]);
        budget.search(range[1] - range[0], Math.max(1, needle.length()));
        String part = text.substring(range[0], range[1]);
        if (needle.isEmpty()) {
            return part.codePointCount(0, part.length()) + 1L;
        }
        long count = 0;
        for (int at = part.indexOf(needle); at >= 0; at = part.indexOf(needle, at + needle.length())) {
            count++;
        }
        return count;
    }

    private long find(String text, Arguments arguments, String name, boolean last) {
        Object[] bound = arguments.bindRequiring(1, name, "sub", "start", "end");
        String needle = Types.text(bound[0]);
        int[] range = within(text, bound[1], bound[2]);
        budget.search(range[1] - range[0], Math.max(1, needle.length()));
        String part = text.substring(0, range[1]);
        int at = last ? part.lastIndexOf(needle) : part.indexOf(needle, range[0]);
        return at < range[0] ? -1 : text.codePointCount(0, at);
    }

    private static long found(long at) {
        if (at < 0) {
            throw new JinjaException("substring not found");
        }
        return at;
    }

    private interface Affix {
        boolean of(String text, String affix);
    }

    private static boolean hasAffix(String text, String name, Arguments arguments, Affix affix) {
        Object[] bound = arguments.bindRequiring(1, name, "affix", "start", "end");
        int[] range = within(text, bound[1], bound[2]);
        String part = text.substring(range[0], range[1]);
        if (bound[0] instanceof Tuple tuple) {
            return tuple.items().stream().anyMatch(item -> affix.of(part, Types.text(item)));
        }
        if (!Types.isText(bound[0])) {
            throw new JinjaException(name + " first arg must be str or a tuple of str, not " + Types.name(bound[0]));
        }
        return affix.of(part, Types.text(bound[0]));
    }

    String strip(String text, String name, Arguments arguments, boolean left, boolean right) {
        Object characters = arguments.bind(name, "chars")[0];
        if (characters == Arguments.MISSING || characters == null) {
            return strip(text, Characters::isSpace, left, right);
        }
        String stripped = Types.text(characters);
        budget.search(text.length(), stripped.length());
        return strip(text, c -> stripped.indexOf(c) >= 0, left, right);
    }

    private String strip(String text, IntPredicate stripped, boolean left, boolean right) {
        int from = 0;
        int to = text.length();
        while (left && from < to && stripped.test(text.codePointAt(from))) {
            from += Character.charCount(text.codePointAt(from));
        }
        while (right && to > from && stripped.test(text.codePointBefore(to))) {
            to -= Character.charCount(text.codePointBefore(to));
        }
        return budget.text(text.substring(from, to));
    }

    private String join(String separator, Arguments arguments) {
        StringBuilder joined = new StringBuilder();
        long index = 0;
        for (Iterator<Object> items = Types.iterate(arguments.bindRequiring(1, "join", "iterable")[0]);
                items.hasNext();
                index++) {
            Object item = items.next();
            if (!Types.isText(item)) {
                throw new JinjaException(
                        "sequence item " + index + ": expected str instance, " + Types.name(item) + " found");
            }
            append(joined, index == 0 ? "" : separator);
            append(joined, Types.text(item));
        }
        return budget.text(joined.toString());
    }

    private void append(StringBuilder out, String text) {
        budget.step();
        budget.fits((long) out.length() + text.length());
        out.append(text);
    }

    /** Replaces the first {@code count} occurrences, or all if it is negative. */
    String replace(String text, String old, String replacement, long count) {
        budget.search(text.length(), Math.max(1, old.length()));
        StringBuilder replaced = new StringBuilder();
        int from = 0;
        long left = count < 0 ? Long.MAX_VALUE : count;
        if (old.isEmpty()) {
            for (int c : text.codePoints().toArray()) {
                append(replaced, left-- > 0 ? replacement : "");
                replaced.appendCodePoint(c);
                left = Math.max(left, 0);
            }
            append(replaced, left > 0 ? replacement : "");
            return budget.text(replaced.toString());
        }
        for (int at = text.indexOf(old); at >= 0 && left > 0; at = text.indexOf(old, from), left--) {
            append(replaced, text.substring(from, at));
            append(replaced, replacement);
            from = at + old.length();
        }
        append(replaced, text.substring(from));
        return budget.text(replaced.toString());
    }

    List<Object> lines(String text) {
        return splitting.lines(text, Arguments.NONE);
    }
}
