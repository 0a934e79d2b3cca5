package io.tutti.modelio.tokenizer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The ids of added tokens. Hugging Face's library takes them from the model's vocabulary, and gives those that are not in it
 * the next free ones, whatever ids a file names.
 */
final class AddedVocabulary {
    private final Map<String, Integer> vocabulary;
    private final int vocabularySize;
    private final Map<String, Integer> ids = new HashMap<>();
    private int largest = -1;

    /**
     * @param vocabulary the ids of those tokens that the model's vocabulary has
     * @param vocabularySize tokens of the whole vocabulary
     */
    AddedVocabulary(Map<String, Integer> vocabulary, int vocabularySize) {
        this.vocabulary = vocabulary;
        this.vocabularySize = vocabularySize;
    }

    /** Adds {@code tokens} in their order; returns the ids of all added so far. */
    Map<String, Integer> add(Collection<AddedToken> tokens) {
        for (AddedToken token : tokens) {
            int free = Math.max(vocabularySize, largest + 1);
            int id = ids.computeIfAbsent(token.content(), content -> vocabulary.getOrDefault(content, free));
            largest = Math.max(largest, id);
        }
        return ids;
    }

    /** Those of {@code added} that make a difference to a tokenizer that has {@code tokens}. */
    static List<AddedToken> effective(List<AddedToken> tokens, List<AddedToken> added) {
        Map<String, AddedToken> current = new HashMap<>();
        tokens.forEach(token -> current.put(token.content(), token));
        List<AddedToken> effective = new ArrayList<>();
        for (AddedToken token : added) {
            if (!token.content().isEmpty() && !token.equals(current.put(token.content(), token))) {
                effective.add(token);
            }
        }
        return effective;
    }

    /** The texts of {@code tokens}. */
    static Set<String> contents(Collection<AddedToken> tokens) {
        return Set.copyOf(tokens.stream().map(AddedToken::content).toList());
    }
}
