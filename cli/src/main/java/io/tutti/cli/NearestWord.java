package io.tutti.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

/** Guesses which word was meant by one that is unknown. */
final class NearestWord {

    /** Commands as Ollama, llama.cpp and package managers call them. */
    private static final Map<String, String> FOREIGN = Map.ofEntries(
            Map.entry("show", "inspect"),
            Map.entry("info", "inspect"),
            Map.entry("ls", "list"),
            Map.entry("models", "list"),
            Map.entry("download", "pull"),
            Map.entry("install", "pull"),
            Map.entry("delete", "rm"),
            Map.entry("remove", "rm"),
            Map.entry("cli", "chat"),
            Map.entry("ask", "chat"),
            Map.entry("complete", "generate"),
            Map.entry("completion", "generate"));

    private NearestWord() {}

    /**
     * The one of {@code words} that another program calls {@code typed}; else one that begins with {@code typed} or that {@code typed}
     * begins with; else the one that differs by the fewest letters, at most one in two.
     */
    static Optional<String> to(String typed, Collection<String> words) {
        String foreign = FOREIGN.get(typed);
        if (foreign != null && words.contains(foreign)) {
            return Optional.of(foreign);
        }
        return words.stream()
                .filter(word -> distance(typed, word) <= word.length() / 2 || isBeginning(typed, word))
                .min(Comparator.comparing((String word) -> !isBeginning(typed, word))
                        .thenComparingInt(word -> distance(typed, word)));
    }

    private static boolean isBeginning(String typed, String word) {
        return typed.length() > 1 && (word.startsWith(typed) || typed.startsWith(word));
    }

    /** Letters to put in, take out or replace, and neighbours to swap, to get from one word to the other. */
    private static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int replaced = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                d[i][j] = Math.min(replaced, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
