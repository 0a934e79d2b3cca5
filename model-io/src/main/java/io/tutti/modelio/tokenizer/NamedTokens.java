package io.tutti.modelio.tokenizer;

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
        TokenFiles files = TokenFiles.read(directory);
        Map<String, Named> tokens = new LinkedHashMap<>();
        add(tokens, files.configFile(), files.config());
        add(tokens, files.mapFile(), files.map());
        return new NamedTokens(tokens);
    }

    public Optional<Named> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    private static void add(Map<String, Named> tokens, Path file, Map<String, Object> fields) {
        fields.forEach((key, value) -> {
            if (key.equals(TokenFiles.EXTRA_TOKENS) && value instanceof Map<?, ?> named) {
                named.forEach((name, token) -> add(tokens, file, (String) name, token));
            } else if (TokenFiles.namesToken(key)) {
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
}
