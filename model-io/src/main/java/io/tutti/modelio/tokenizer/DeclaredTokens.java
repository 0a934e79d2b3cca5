package io.tutti.modelio.tokenizer;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.tokenizer.SpecialTokens.Declared;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The tokens that the files beside a tokenizer.json add to it, as in transformers 5: first those that have an id there, in
 * the order of the ids; then those with a name, such as {@code eos_token}, and the extra ones, unless the tokenizer has them
 * as added tokens already. The ids stand in tokenizer_config.json's {@code added_tokens_decoder}, or if that is not there, in
 * added_tokens.json, which tokenizer.json's own added tokens overrule id by id.
 *
 * @param byId the tokens that have an id, by that id
 * @param listed whether they stand in tokenizer_config.json
 */
record DeclaredTokens(SortedMap<Integer, AddedToken> byId, boolean listed, SpecialTokens special) {
    private static final int MAX_NOTES = 4;
    private static final Pattern ID = Pattern.compile("[0-9]{1,10}");

    /**
     * Reads {@code files}.
     *
     * @throws ModelException if what one of them says of a token cannot be understood
     */
    static DeclaredTokens of(TokenFiles files) {
        SpecialTokens special = SpecialTokens.read(files);
        boolean listed = files.listAddedTokens();
        return new DeclaredTokens(listed ? decoder(files) : added(files, special.specialTexts()), listed, special);
    }

    /**
     * The tokens to add, in the order in which they are added. One that the tokenizer has already gets the flags it has here.
     *
     * @param inFile the added tokens that tokenizer.json lists, by the ids that it gives them
     * @param loaded the texts of the added tokens that the tokenizer has already
     */
    List<AddedToken> toAdd(SortedMap<Integer, AddedToken> inFile, Set<String> loaded) {
        SortedMap<Integer, AddedToken> numbered = new TreeMap<>(byId);
        if (!listed) {
            numbered.putAll(inFile);
        }
        Set<String> known = new HashSet<>(loaded);
        numbered.values().forEach(token -> known.add(token.content()));
        List<Declared> unknown = new ArrayList<>();
        Stream.concat(special.named().stream(), special.extra().stream())
                .filter(token ->
                        !known.contains(token.content()) && unknown.stream().noneMatch(token::isSame))
                .forEach(unknown::add);
        Set<String> names = new HashSet<>();
        special.named().forEach(token -> names.add(token.content()));
        return Stream.concat(numbered.values().stream(), unknown.stream().map(Declared::token))
                .map(token -> names.contains(token.content()) ? token.asSpecial() : token)
                .toList();
    }

    /**
     * Notes on ids in the files that their tokens do not get.
     *
     * @param ids the ids that the tokens have, by text
     */
    List<String> notes(Map<String, Integer> ids) {
        String source = listed ? TokenFiles.CONFIG + ": " + TokenFiles.ADDED_TOKENS : TokenFiles.ADDED + ":";
        List<String> notes = new ArrayList<>();
        byId.forEach((id, token) -> {
            Integer found = ids.get(token.content());
            if (!token.content().isEmpty() && !id.equals(found)) {
                notes.add(source + " gives " + ModelException.quote(token.content()) + " the id " + id + ", but it "
                        + (found == null
                                ? "is no token, since tokenizer.json gives that id to another"
                                : "has " + found));
            }
        });
        return notes.size() < MAX_NOTES
                ? notes
                : List.of(
                        notes.getFirst(),
                        source + " has " + (notes.size() - 1) + " more ids that its tokens do not have");
    }

    /** added_tokens_decoder: tokens by id. */
    private static SortedMap<Integer, AddedToken> decoder(TokenFiles files) {
        Path file = files.configFile();
        SortedMap<Integer, AddedToken> tokens = new TreeMap<>();
        switch (files.config().get(TokenFiles.ADDED_TOKENS)) {
            case null -> {}
            case Map<?, ?> byId ->
                byId.forEach((id, token) -> {
                    String key = TokenFiles.ADDED_TOKENS + "." + ModelException.excerpt((String) id);
                    if (!(token instanceof Map<?, ?> fields)) {
                        throw TokenFiles.refuse(file, key, token, "an object with the token's content and flags");
                    }
                    Object number = ID.matcher((String) id).matches() ? Long.valueOf((String) id) : id;
                    tokens.put(
                            id(file, "a key of " + TokenFiles.ADDED_TOKENS, number),
                            AddedToken.of(file, key, fields, false));
                });
            case Object other ->
                throw TokenFiles.refuse(file, TokenFiles.ADDED_TOKENS, other, "an object of tokens by id");
        }
        return tokens;
    }

    /** added_tokens.json: ids by token. */
    private static SortedMap<Integer, AddedToken> added(TokenFiles files, Set<String> special) {
        SortedMap<Integer, AddedToken> tokens = new TreeMap<>();
        files.added()
                .forEach((content, id) -> tokens.put(
                        id(files.addedFile(), ModelException.quote(content), id),
                        AddedToken.of(content, special.contains(content))));
        return tokens;
    }

    private static int id(Path file, String key, Object id) {
        if (id instanceof Long number && number >= 0 && number <= Integer.MAX_VALUE) {
            return number.intValue();
        }
        throw TokenFiles.refuse(file, key, id, "an id from 0 to " + Integer.MAX_VALUE);
    }
}
