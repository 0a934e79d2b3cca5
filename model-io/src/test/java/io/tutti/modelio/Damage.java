package io.tutti.modelio;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Files that something has happened to. */
public final class Damage {
    private Damage() {}

    /** Some bytes changed, and perhaps the end cut off. */
    public static Arbitrary<byte[]> bytes(byte[] whole) {
        Arbitrary<Integer> kept = Arbitraries.frequencyOf(
                Tuple.of(3, Arbitraries.just(whole.length)),
                Tuple.of(1, Arbitraries.integers().between(0, whole.length)));
        Arbitrary<List<Integer>> places =
                Arbitraries.integers().between(0, whole.length - 1).list().ofMaxSize(4);
        return Combinators.combine(kept, places, Arbitraries.bytes().list().ofSize(4))
                .as((length, at, values) -> {
                    byte[] bytes = whole.clone();
                    for (int i = 0; i < at.size(); i++) {
                        bytes[at.get(i)] ^= values.get(i);
                    }
                    return Arrays.copyOf(bytes, length);
                });
    }

    /** One of the JSON's words put in place of another, or something that JSON parsers trip over. */
    public static Arbitrary<byte[]> json(byte[] json) {
        List<String> words = new ArrayList<>(List.of(
                "null",
                "true",
                "-1",
                "0",
                "1e999",
                "9223372036854775807",
                "18446744073709551616",
                "\"\"",
                "\"\\ud800\"",
                "\"\\u0000\"",
                "[]",
                "{}",
                "[[[[[[]]]]]]",
                "NaN",
                "0.1",
                "{\"a\":1,\"a\":2}",
                "[".repeat(2000),
                "",
                "\"" + "x".repeat(5000) + "\"",
                "1".repeat(2000)));
        String text = new String(json, StandardCharsets.UTF_8);
        List<int[]> spans = spans(text);
        spans.forEach(span -> words.add(text.substring(span[0], span[1])));
        return Combinators.combine(Arbitraries.of(spans), Arbitraries.of(words))
                .as((span, word) ->
                        (text.substring(0, span[0]) + word + text.substring(span[1])).getBytes(StandardCharsets.UTF_8));
    }

    /** Where the strings, numbers and names of a JSON text lie. */
    private static List<int[]> spans(String text) {
        List<int[]> spans = new ArrayList<>();
        var matcher = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d[\\d.e+-]*|null|true|false")
                .matcher(text);
        while (matcher.find()) {
            spans.add(new int[] {matcher.start(), matcher.end()});
        }
        return spans;
    }
}
