package io.tutti.modelio.tokenizer;

import io.tutti.modelio.files.PlainFile;
import io.tutti.modelio.json.PlainJson;
import io.tutti.modelio.json.StrictJson;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The tokens to which a model's files give a name, such as {@code eos_token}, as transformers 5 reads them: those of
 * tokenizer_config.json, and over them those of special_tokens_map.json unless the former lists the added tokens too.
 *
 * @param byName in the files' order
 */
public record NamedTokens(Map<String, Named> byName) {
    /** What the token that ends a text is called. */
    public static final String END = "eos_token";

    private static final String TOKENIZER_CONFIG = "tokenizer_config.json";
    private static final String SPECIAL_TOKENS_MAP = "special_tokens_map.json";
    private static final String ADDED_TOKENS = "added_tokens_decoder";
    private static final String EXTRA_TOKENS = "extra_special_tokens";
    private static final int LONGEST_FILE = 64 << 20;

    /** A token's text, and the file that names it. */
    public record Named(String text, Path file) {}

    public NamedTokens {
        byName = Collections.unmodifiableMap(new LinkedHashMap<>(byName));
    }

    /**
     * Reads the files of the model in {@code directory} that are there.
     *
     * @throws io.tutti.modelio.ModelException if one of them is not JSON
     */
    public static NamedTokens read(Path directory) {
        Map<String, Named> tokens = new LinkedHashMap<>();
        Path configFile = directory.resolve(TOKENIZER_CONFIG);
        Map<String, Object> config = object(configFile);
        add(tokens, configFile, config);
        if (!config.containsKey(ADDED_TOKENS)) {
            Path map = directory.resolve(SPECIAL_TOKENS_MAP);
            add(tokens, map, object(map));
        }
        return new NamedTokens(tokens);
    }

    public Optional<Named> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    private static void add(Map<String, Named> tokens, Path file, Map<String, Object> fields) {
        fields.forEach((key, value) -> {
            if (key.equals(EXTRA_TOKENS) && value instanceof Map<?, ?> named) {
                named.forEach((name, token) -> add(tokens, file, (String) name, token));
            } else if (key.endsWith("_token")) {
                add(tokens, file, key, value);
            }
        });
    }

    /** A token is text, or an object of its text and how it is matched; null takes away what another file names. */
    private static void add(Map<String, Named> tokens, Path file, String name, Object token) {
        Object content = token instanceof Map<?, ?> added ? added.get("content") : token;
        if (content instanceof String text) {
            tokens.put(name, new Named(text, file));
        } else if (content == null) {
            tokens.remove(name);
        }
    }

    private static Map<String, Object> object(Path file) {
        if (!PlainFile.isThere(file)) {
            return Map.of();
        }
        return PlainJson.object(
                file,
                StrictJson.readBytes(file, LONGEST_FILE),
                key -> key.equals(ADDED_TOKENS) || key.equals(EXTRA_TOKENS) || key.endsWith("_token"));
    }
}
