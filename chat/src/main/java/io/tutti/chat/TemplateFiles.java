package io.tutti.chat;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.files.PlainFile;
import io.tutti.modelio.json.PlainJson;
import io.tutti.modelio.json.StrictJson;
import io.tutti.modelio.tokenizer.NamedTokens;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What a model directory says of its chat templates, as transformers 5 reads it.
 *
 * @param templates by name; {@code default} is the one that is used where nothing asks for another
 * @param specialTokens what templates know as {@code bos_token}, {@code eos_token} and so on
 */
record TemplateFiles(Map<String, Source> templates, Map<String, String> specialTokens) {
    /** A template's text, and where it is from: a file, and a key if the file holds other things too. */
    record Source(String place, String text) {}

    static final String DEFAULT = "default";

    private static final String JINJA = "chat_template.jinja";
    private static final String ADDITIONAL = "additional_chat_templates";
    private static final String TOKENIZER_CONFIG = "tokenizer_config.json";
    private static final String PROCESSOR = "chat_template.json";

    private static final String KEY = "chat_template";

    /** In bytes of a file of its own, in UTF-16 units of a value in JSON. */
    private static final int LONGEST_TEMPLATE = 1 << 20;

    private static final int LONGEST_JSON = 64 << 20;

    /** Reads all files that are there; no templates is no error. */
    static TemplateFiles read(Path directory) {
        Path configFile = directory.resolve(TOKENIZER_CONFIG);
        Map<String, Object> config = object(configFile);
        Map<String, Source> templates = jinjaFiles(directory);
        if (templates.isEmpty()) {
            templates = inJson(configFile, config.get(KEY));
        }
        if (templates.isEmpty()) {
            Path processor = directory.resolve(PROCESSOR);
            templates = inJson(processor, object(processor).get(KEY));
        }
        return new TemplateFiles(templates, specialTokens(directory));
    }

    private static Map<String, Source> jinjaFiles(Path directory) {
        Map<String, Source> templates = new TreeMap<>();
        Path file = directory.resolve(JINJA);
        if (PlainFile.isThere(file)) {
            templates.put(DEFAULT, jinjaFile(file));
        }
        Path additional = directory.resolve(ADDITIONAL);
        if (Files.isDirectory(additional)) {
            try (Stream<Path> files = Files.list(additional)) {
                for (Path named : files.sorted().toList()) {
                    String name = named.getFileName().toString();
                    if (name.endsWith(".jinja")) {
                        templates.put(name.substring(0, name.length() - ".jinja".length()), jinjaFile(named));
                    }
                }
            } catch (IOException e) {
                throw ModelException.io(additional, e);
            }
        }
        return templates;
    }

    private static Source jinjaFile(Path file) {
        byte[] bytes = StrictJson.readBytes(file, LONGEST_TEMPLATE);
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return new Source(file.toString(), text);
        } catch (CharacterCodingException e) {
            throw new ModelException(file + ": is not valid UTF-8", e);
        }
    }

    /** One template, or a list of named ones. */
    private static Map<String, Source> inJson(Path file, Object value) {
        return switch (value) {
            case null -> Map.of();
            case String text -> Map.of(DEFAULT, inJson(file, KEY, text));
            case List<?> list -> {
                Map<String, Source> templates = new LinkedHashMap<>();
                for (Object item : list) {
                    if (!(item instanceof Map<?, ?> named)
                            || !(named.get("name") instanceof String name)
                            || !(named.get("template") instanceof String text)) {
                        throw notATemplate(file);
                    }
                    templates.put(name, inJson(file, KEY + " " + ModelException.quote(name), text));
                }
                yield templates;
            }
            default -> throw notATemplate(file);
        };
    }

    private static Source inJson(Path file, String place, String text) {
        if (text.length() > LONGEST_TEMPLATE) {
            throw ModelException.of(
                    file,
                    place + " has " + text.length() + " characters; accepted: a template of at most "
                            + LONGEST_TEMPLATE);
        }
        requireWholeCharacters(file, place, text);
        return new Source(file + ": " + place, text);
    }

    private static void requireWholeCharacters(Path file, String place, String text) {
        HalfPairs.problem(text).ifPresent(problem -> {
            throw ModelException.of(file, place + " " + problem);
        });
    }

    private static ModelException notATemplate(Path file) {
        return ModelException.of(
                file, KEY + " is not supported; accepted: a template, or a list of {\"name\": …, \"template\": …}");
    }

    private static Map<String, String> specialTokens(Path directory) {
        Map<String, String> tokens = new LinkedHashMap<>();
        NamedTokens.read(directory).byName().forEach((name, token) -> {
            requireWholeCharacters(token.file(), name, token.text());
            tokens.put(name, token.text());
        });
        return tokens;
    }

    /** The fields that concern templates; a file that is not there has none. */
    private static Map<String, Object> object(Path file) {
        if (!PlainFile.isThere(file)) {
            return Map.of();
        }
        return PlainJson.object(file, StrictJson.readBytes(file, LONGEST_JSON), key -> key.equals(KEY));
    }
}
