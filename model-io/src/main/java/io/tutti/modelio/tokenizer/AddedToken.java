package io.tutti.modelio.tokenizer;

import io.tutti.modelio.ModelException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A token that is found in a text before the vocabulary's model sees it.
 *
 * @param singleWord whether it is found only where no letter or digit stands beside it
 * @param lstrip whether the blanks before it belong to it
 * @param rstrip whether the blanks after it belong to it
 * @param normalized whether it is found in the normalized text, not in the text as it is
 * @param special whether a text without special tokens leaves it out
 */
record AddedToken(
        String content, boolean singleWord, boolean lstrip, boolean rstrip, boolean normalized, boolean special) {

    /** A token without flags; a special one is found in the text as it is. */
    static AddedToken of(String content, boolean special) {
        return new AddedToken(content, false, false, false, !special, special);
    }

    /**
     * The token that {@code fields} describe.
     *
     * @param key where they stand in {@code file}, for messages
     * @param special whether it is special, if they do not say
     * @throws ModelException if they do not describe one
     */
    static AddedToken of(Path file, String key, Map<?, ?> fields, boolean special) {
        if (!(fields.get("content") instanceof String content)) {
            throw ModelException.of(file, key + " has no content; accepted: a token's text");
        }
        boolean isSpecial = flag(file, key, fields, "special", special);
        return new AddedToken(
                content,
                flag(file, key, fields, "single_word", false),
                flag(file, key, fields, "lstrip", false),
                flag(file, key, fields, "rstrip", false),
                flag(file, key, fields, "normalized", !isSpecial),
                isSpecial);
    }

    private static boolean flag(Path file, String key, Map<?, ?> fields, String name, boolean absent) {
        return TokenFiles.flag(file, key + "." + name, fields.get(name), absent);
    }

    /** The texts of {@code tokens}. */
    static Set<String> contents(List<AddedToken> tokens) {
        Set<String> contents = new HashSet<>();
        tokens.forEach(token -> contents.add(token.content()));
        return contents;
    }

    /** This token as a special one. */
    AddedToken asSpecial() {
        return new AddedToken(content, singleWord, lstrip, rstrip, normalized, true);
    }
}
