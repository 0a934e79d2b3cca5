package io.tutti.modelio.tokenizer;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.files.PlainFile;
import io.tutti.modelio.json.PlainJson;
import io.tutti.modelio.json.StrictJson;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What the files beside tokenizer.json say of a model's tokens. As in transformers 5, special_tokens_map.json and
 * added_tokens.json are ignored if tokenizer_config.json lists the added tokens itself.
 *
 * @param config the fields of tokenizer_config.json that concern tokens
 * @param map those of special_tokens_map.json
 * @param added added_tokens.json: ids by token
 */
record TokenFiles(Path directory, Map<String, Object> config, Map<String, Object> map, Map<String, Object> added) {
    static final String CONFIG = "tokenizer_config.json";
    static final String MAP = "special_tokens_map.json";
    static final String ADDED = "added_tokens.json";

    static final String ADDED_TOKENS = "added_tokens_decoder";
    static final String EXTRA_TOKENS = "extra_special_tokens";
    /** What transformers 4 calls the extra tokens. */
    static final String ADDITIONAL_TOKENS = "additional_special_tokens";

    static final String TOKENIZER_CLASS = "tokenizer_class";
    static final String LEGACY = "legacy";
    static final String ADD_PREFIX_SPACE = "add_prefix_space";
    static final String SPLIT_SPECIAL = "split_special_tokens";

    private static final Set<String> SETTINGS = Set.of(
            ADDED_TOKENS, EXTRA_TOKENS, ADDITIONAL_TOKENS, TOKENIZER_CLASS, LEGACY, ADD_PREFIX_SPACE, SPLIT_SPECIAL);
    private static final int LONGEST_FILE = 64 << 20;

    /**
     * Reads those that are there.
     *
     * @throws ModelException if one of them is not a JSON object
     */
    static TokenFiles read(Path directory) {
        Map<String, Object> config = object(directory.resolve(CONFIG), TokenFiles::concernsTokens);
        if (config.containsKey(ADDED_TOKENS)) {
            return new TokenFiles(directory, config, Map.of(), Map.of());
        }
        return new TokenFiles(
                directory,
                config,
                object(directory.resolve(MAP), TokenFiles::concernsTokens),
                object(directory.resolve(ADDED), _ -> true));
    }

    /** Whether tokenizer_config.json lists the added tokens. */
    boolean listAddedTokens() {
        return config.containsKey(ADDED_TOKENS);
    }

    Path configFile() {
        return directory.resolve(CONFIG);
    }

    Path mapFile() {
        return directory.resolve(MAP);
    }

    Path addedFile() {
        return directory.resolve(ADDED);
    }

    /** Whether {@code key} names a token, such as {@code eos_token}. */
    static boolean namesToken(String key) {
        return key.endsWith("_token");
    }

    private static boolean concernsTokens(String key) {
        return namesToken(key) || SETTINGS.contains(key);
    }

    /**
     * The flag under {@code key}, or {@code absent} if there is none.
     *
     * @param key for messages
     * @throws ModelException if {@code value} is no flag
     */
    static boolean flag(Path file, String key, Object value, boolean absent) {
        return switch (value) {
            case null -> absent;
            case Boolean flag -> flag;
            case Object other -> throw refuse(file, key, other, "true or false");
        };
    }

    /** The refusal of a value that stands under {@code key} in {@code file}. */
    static ModelException refuse(Path file, String key, Object value, String accepted) {
        return ModelException.of(
                file,
                key + " = " + ModelException.excerpt(String.valueOf(value)) + " is not supported; accepted: "
                        + accepted);
    }

    private static Map<String, Object> object(Path file, Predicate<String> wanted) {
        return PlainFile.isThere(file)
                ? PlainJson.object(file, StrictJson.readBytes(file, LONGEST_FILE), wanted)
                : Map.of();
    }
}
