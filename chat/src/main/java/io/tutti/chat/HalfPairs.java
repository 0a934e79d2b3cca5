package io.tutti.chat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Halves of surrogate pairs, as JSON's and Jinja's escapes can write them: no tokenizer takes such text. */
public final class HalfPairs {
    private HalfPairs() {}

    /** Where {@code text} has its first half, as an index; empty if it has none. */
    public static OptionalInt first(String text) {
        int at = 0;
        while (at < text.length()) {
            int character = text.codePointAt(at);
            if (Character.getType(character) == Character.SURROGATE) {
                return OptionalInt.of(at);
            }
            at += Character.charCount(character);
        }
        return OptionalInt.empty();
    }

    /**
     * What is wrong with {@code text}, to stand after what the text is: which half it holds, and what would be
     * accepted.
     */
    static Optional<String> problem(String text) {
        OptionalInt first = first(text);
        return first.isEmpty()
                ? Optional.empty()
                : Optional.of("holds half a surrogate pair, \\u%04x, as its character %d; accepted: whole characters"
                        .formatted((int) text.charAt(first.getAsInt()), text.codePointCount(0, first.getAsInt()) + 1));
    }

    /** The same for the first text in {@code value}, a plain value of JSON, that has something wrong with it. */
    static Optional<String> problemIn(Object value) {
        return switch (value) {
            case String text -> problem(text);
            case List<?> list ->
                list.stream()
                        .map(HalfPairs::problemIn)
                        .flatMap(Optional::stream)
                        .findFirst();
            case Map<?, ?> map ->
                problemIn(List.copyOf(map.keySet()))
                        .or(() -> map.values().stream()
                                .map(HalfPairs::problemIn)
                                .flatMap(Optional::stream)
                                .findFirst());
            case null, default -> Optional.empty();
        };
    }
}
