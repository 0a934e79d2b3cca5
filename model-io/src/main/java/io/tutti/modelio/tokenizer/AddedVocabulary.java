package io.tutti.modelio.tokenizer;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What becomes of tokens that are added one after another, as in Hugging Face's library. */
final class AddedVocabulary {
    private AddedVocabulary() {}

    /**
     * Each token of {@code tokens} and then of {@code more} once, in the order in which they come first. One that comes again
     * has the flags that it has last, but stays special.
     */
    static List<AddedToken> merged(List<AddedToken> tokens, List<AddedToken> more) {
        Map<String, AddedToken> merged = new LinkedHashMap<>();
        Stream.concat(tokens.stream(), more.stream())
                .filter(token -> !token.content().isEmpty())
                .forEach(token -> merged.merge(
                        token.content(), token, (before, last) -> before.special() ? last.asSpecial() : last));
        return List.copyOf(merged.values());
    }

    /**
     * The ids of {@code tokens}. One that the model's vocabulary has keeps its id there, and the others get the next free
     * ones, whatever ids a file names.
     *
     * @param vocabulary the ids of those that the model's vocabulary has
     * @param vocabularySize tokens of the whole vocabulary
     */
    static Map<String, Integer> ids(
            Collection<AddedToken> tokens, Map<String, Integer> vocabulary, int vocabularySize) {
        Map<String, Integer> ids = new HashMap<>();
        int free = vocabularySize;
        for (AddedToken token : tokens) {
            int id = vocabulary.getOrDefault(token.content(), free);
            ids.put(token.content(), id);
            free = Math.max(free, id + 1);
        }
        return ids;
    }
}
