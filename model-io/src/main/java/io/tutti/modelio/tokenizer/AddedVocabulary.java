package io.tutti.modelio.tokenizer;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A tokenizer's added tokens: how they are merged, which ids they get, and how they are written, as in Hugging Face's library. */
final class AddedVocabulary {
    private AddedVocabulary() {}

    /**
     * The tokens of {@code tokens} and then of {@code more}, each once, where it comes first. One that comes again has the
     * flags that it has last, except that a special token stays special.
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
     * The ids of {@code tokens}, by text. A token of the model's vocabulary keeps its id there; the others get the next free
     * ids, whatever ids a file gives them.
     *
     * @param vocabulary the ids of those tokens that the model's vocabulary has
     * @param vocabularySize how many tokens the model's vocabulary has
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

    /** {@code tokens} with their {@code ids}, as tokenizer.json lists them. */
    static String json(List<AddedToken> tokens, Map<String, Integer> ids) {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        for (AddedToken token : tokens) {
            list.addObject()
                    .put("id", ids.get(token.content()))
                    .put("content", token.content())
                    .put("single_word", token.singleWord())
                    .put("lstrip", token.lstrip())
                    .put("rstrip", token.rstrip())
                    .put("normalized", token.normalized())
                    .put("special", token.special());
        }
        return list.toString();
    }
}
