package io.tutti.modelio.tokenizer;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The special tokens that the files beside a tokenizer.json give a name, such as {@code eos_token}, or list as extra ones,
 * with how they are matched. Where two files disagree, this follows transformers 5.
 */
final class SpecialTokens {
    /** The name of the token that pads a text. If no file has this key, tokenizer.json's {@code padding} may name the token. */
    static final String PAD = "pad_token";

    /** Names that every tokenizer may have, in the order in which their tokens are added. Tokens with other names follow. */
    private static final List<String> STANDARD =
            List.of("bos_token", "eos_token", "unk_token", "sep_token", PAD, "cls_token", "mask_token");

    /** Marks a description of a token in tokenizer_config.json. */
    private static final String TYPE = "__type";

    /**
     * A special token.
     *
     * @param described whether the file describes how it is matched, instead of giving only its text
     * @param file where it stands
     */
    record Declared(AddedToken token, boolean described, Path file) {
        String content() {
            return token.content();
        }

        /** Whether both are the same token, whatever file it stands in. */
        boolean isSame(Declared other) {
            return token.equals(other.token) && described == other.described;
        }
    }

    private final TokenFiles files;
    private final Map<String, Declared> standard = new LinkedHashMap<>();
    /** By names that are not standard: tokens that count unless {@link #preferred} has the same name. */
    private final Map<String, Declared> others = new LinkedHashMap<>();

    private final Map<String, Declared> preferred = new LinkedHashMap<>();
    private final List<Declared> extra = new ArrayList<>();
    private boolean hasExtra;
    private final Set<String> specialTexts = new HashSet<>();

    private SpecialTokens(TokenFiles files) {
        this.files = files;
        STANDARD.forEach(name -> standard.put(name, null));
    }

    /**
     * Reads what {@code files} say.
     *
     * @throws io.tutti.modelio.ModelException if what is said of a token cannot be understood
     */
    static SpecialTokens read(TokenFiles files) {
        SpecialTokens tokens = new SpecialTokens(files);
        tokens.readConfig();
        tokens.readMap();
        tokens.collectSpecialTexts();
        if (!tokens.hasExtra) {
            Path file = files.map().containsKey(TokenFiles.ADDITIONAL_TOKENS) ? files.mapFile() : files.configFile();
            Map<String, Object> fields = file.equals(files.mapFile()) ? files.map() : files.config();
            tokens.addExtra(file, TokenFiles.ADDITIONAL_TOKENS, fields.get(TokenFiles.ADDITIONAL_TOKENS));
        }
        return tokens;
    }

    /** Gives each of {@code names} that no file mentions the token of that text. */
    void addDefaults(Map<String, String> names) {
        names.forEach((name, text) -> {
            if (!files.config().containsKey(name) && !files.map().containsKey(name)) {
                standard.put(name, new Declared(AddedToken.of(text, true), false, files.directory()));
            }
        });
    }

    /** The tokens that have a name, in the order in which they are added. */
    List<Declared> named() {
        Map<String, Declared> specific = new LinkedHashMap<>(others);
        specific.putAll(preferred);
        return Stream.concat(standard.values().stream(), specific.values().stream())
                .filter(Objects::nonNull)
                .toList();
    }

    /** The tokens without a name. */
    List<Declared> extra() {
        return List.copyOf(extra);
    }

    /**
     * Texts that make a token of added_tokens.json special. The map's {@code additional_special_tokens} are not among them, as
     * in transformers 5.
     */
    Set<String> specialTexts() {
        return specialTexts;
    }

    private void readConfig() {
        Path file = files.configFile();
        Map<String, Object> config = files.config();
        addNamed(file, config, preferred);
        boolean noExtra = isEmpty(config.get(TokenFiles.EXTRA_TOKENS));
        String key = noExtra && config.containsKey(TokenFiles.ADDITIONAL_TOKENS)
                ? TokenFiles.ADDITIONAL_TOKENS
                : TokenFiles.EXTRA_TOKENS;
        if (config.containsKey(key)) {
            addExtra(file, key, config.get(key));
        }
    }

    private void readMap() {
        Path file = files.mapFile();
        Map<String, Object> map = files.map();
        addNamed(file, map, others);
        if (map.containsKey(TokenFiles.EXTRA_TOKENS)) {
            Object value = map.get(TokenFiles.EXTRA_TOKENS);
            if (!(value instanceof List<?>)) {
                extra.clear();
            }
            addExtra(file, TokenFiles.EXTRA_TOKENS, value);
        }
    }

    private void collectSpecialTexts() {
        Stream.concat(standard.values().stream().filter(Objects::nonNull), extra.stream())
                // transformers compares the text of a description in tokenizer_config.json as a whole.
                .filter(token -> !token.described() || token.file().equals(files.mapFile()))
                .forEach(token -> specialTexts.add(token.content()));
    }

    private void addNamed(Path file, Map<String, Object> fields, Map<String, Declared> other) {
        fields.forEach((key, value) -> {
            if (STANDARD.contains(key)) {
                standard.put(key, value == null ? null : named(file, key, value));
            } else if (TokenFiles.namesToken(key) && (value instanceof String || value instanceof Map<?, ?>)) {
                Map<String, Declared> texts = value instanceof String ? other : others;
                texts.put(key, named(file, key, value));
            }
        });
    }

    /** Extra tokens are a list, or an object that gives each a name. */
    private void addExtra(Path file, String key, Object value) {
        hasExtra = !(value instanceof Map<?, ?>);
        switch (value) {
            case null -> {}
            case Map<?, ?> tokens ->
                tokens.forEach((name, token) -> preferred.put((String) name, named(file, key + "." + name, token)));
            case List<?> tokens -> {
                for (int i = 0; i < tokens.size(); i++) {
                    Declared token = declared(file, key + "[" + i + "]", tokens.get(i), false);
                    if (extra.stream().noneMatch(token::isSame)) {
                        extra.add(token);
                    }
                }
            }
            default -> throw TokenFiles.refuse(file, key, value, "a list of tokens, or an object of named ones");
        }
    }

    private static boolean isEmpty(Object value) {
        return switch (value) {
            case null -> true;
            case Map<?, ?> map -> map.isEmpty();
            case List<?> list -> list.isEmpty();
            default -> false;
        };
    }

    private static Declared named(Path file, String key, Object value) {
        return declared(file, key, value, true);
    }

    /** A token is special, unless it has no name and tokenizer_config.json describes it otherwise. */
    private static Declared declared(Path file, String key, Object value, boolean isNamed) {
        return switch (value) {
            case String text -> new Declared(AddedToken.of(text, true), false, file);
            case Map<?, ?> fields -> {
                Map<Object, Object> flags = new LinkedHashMap<>(fields);
                if (isNamed) {
                    flags.put("special", true);
                }
                yield new Declared(AddedToken.of(file, key, flags, !fields.containsKey(TYPE)), true, file);
            }
            case null, default ->
                throw TokenFiles.refuse(file, key, value, "a token: its text, or an object with its content and flags");
        };
    }
}
