package io.tutti.chat;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Halves of surrogate pairs, as JSON's and Jinja's escapes can write them: no tokenizer takes such text. */
final class HalfPairs {
    private HalfPairs() {}

    /**
     * What is wrong with {@code text}, to stand after what the text is: which half it holds, and what would be
     * accepted.
     */
    static Optional<String> problem(String text) {
        int at = 0;
        while (at < text.length()) {
            int character = text.codePointAt(at);
            if (Character.getType(character) == Character.SURROGATE) {
                return Optional.of(
                        "holds half a surrogate pair, \\u%04x, as its character %d; accepted: whole characters"
                                .formatted(character, text.codePointCount(0, at) + 1));
            }
            at += Character.charCount(character);
        }
        return Optional.empty();
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
