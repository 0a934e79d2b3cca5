package io.tutti.jinja;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The methods of Python's str that split it. */
final class Splitting {
    private final Budget budget;

    Splitting(Budget budget) {
        this.budget = budget;
    }

    List<Object> split(String text, Arguments arguments) {
        Object[] bound = arguments.bind("split", "sep", "maxsplit");
        long max = max(bound[1]);
        return isNone(bound[0]) ? words(text, max) : parts(text, separator(bound[0]), max);
    }

    List<Object> rsplit(String text, Arguments arguments) {
        Object[] bound = arguments.bind("rsplit", "sep", "maxsplit");
        long max = max(bound[1]);
        return isNone(bound[0]) ? lastWords(text, max) : lastParts(text, separator(bound[0]), max);
    }

    private static boolean isNone(Object separator) {
        return separator == Arguments.MISSING || separator == null;
    }

    private static long max(Object argument) {
        long max = argument == Arguments.MISSING ? -1 : Types.integer(argument);
        return max < 0 ? Long.MAX_VALUE : max;
    }

    private static String separator(Object argument) {
        String separator = Types.text(argument);
        if (separator.isEmpty()) {
            throw new JinjaException("empty separator");
        }
        return separator;
    }

    private List<Object> parts(String text, String separator, long max) {
        budget.text(text.length());
        budget.search(text.length(), separator.length());
        List<Object> parts = new ArrayList<>();
        int from = 0;
        for (int at = text.indexOf(separator); at >= 0 && parts.size() < max; at = text.indexOf(separator, from)) {
            budget.part();
            parts.add(text.substring(from, at));
            from = at + separator.length();
        }
        parts.add(text.substring(from));
        return parts;
    }

    private List<Object> lastParts(String text, String separator, long max) {
        budget.text(text.length());
        budget.search(text.length(), separator.length());
        List<Object> parts = new ArrayList<>();
        int to = text.length();
        for (int at = text.lastIndexOf(separator);
                at >= 0 && parts.size() < max;
                at = text.lastIndexOf(separator, to - separator.length())) {
            budget.part();
            parts.add(text.substring(at + separator.length(), to));
            to = at;
        }
        parts.add(text.substring(0, to));
        Collections.reverse(parts);
        return parts;
    }

    private List<Object> words(String text, long max) {
        budget.text(text.length());
        List<Object> words = new ArrayList<>();
        int at = skipSpace(text, 0);
        while (at < text.length()) {
            budget.part();
            if (words.size() >= max) {
                words.add(text.substring(at));
                break;
            }
            int end = at;
            while (end < text.length() && !Characters.isSpace(text.charAt(end))) {
                end++;
            }
            words.add(text.substring(at, end));
            at = skipSpace(text, end);
        }
        return words;
    }

    private static int skipSpace(String text, int from) {
        int at = from;
        while (at < text.length() && Characters.isSpace(text.charAt(at))) {
            at++;
        }
        return at;
    }

    private List<Object> lastWords(String text, long max) {
        budget.text(text.length());
        List<Object> words = new ArrayList<>();
        int end = skipSpaceBefore(text, text.length());
        while (end > 0) {
            budget.part();
            if (words.size() >= max) {
                words.add(text.substring(0, end));
                break;
            }
            int start = end;
            while (start > 0 && !Characters.isSpace(text.charAt(start - 1))) {
                start--;
            }
            words.add(text.substring(start, end));
            end = skipSpaceBefore(text, start);
        }
        Collections.reverse(words);
        return words;
    }

    private static int skipSpaceBefore(String text, int end) {
        int at = end;
        while (at > 0 && Characters.isSpace(text.charAt(at - 1))) {
            at--;
        }
        return at;
    }

    List<Object> lines(String text, Arguments arguments) {
        Object[] bound = arguments.bind("splitlines", "keepends");
        boolean keep = Types.truth(Arguments.or(bound[0], false));
        budget.text(text.length());
        List<Object> lines = new ArrayList<>();
        int from = 0;
        while (from < text.length()) {
            budget.part();
            int end = from;
            while (end < text.length() && !Characters.isLineBreak(text.charAt(end))) {
                end++;
            }
            int next = text.startsWith("\r\n", end) ? end + 2 : Math.min(end + 1, text.length());
            lines.add(text.substring(from, keep ? next : end));
            from = next;
        }
        return lines;
    }

    Tuple partition(String text, Arguments arguments) {
        String separator = separator(arguments.bindRequiring(1, "partition", "sep")[0]);
        budget.text(text.length());
        budget.search(text.length(), separator.length());
        int at = text.indexOf(separator);
        return at < 0
                ? Tuple.of(text, "", "")
                : Tuple.of(text.substring(0, at), separator, text.substring(at + separator.length()));
    }

    Tuple rpartition(String text, Arguments arguments) {
        String separator = separator(arguments.bindRequiring(1, "rpartition", "sep")[0]);
        budget.text(text.length());
        budget.search(text.length(), separator.length());
        int at = text.lastIndexOf(separator);
        return at < 0
                ? Tuple.of("", "", text)
                : Tuple.of(text.substring(0, at), separator, text.substring(at + separator.length()));
    }
}
