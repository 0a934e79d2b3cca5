package io.tutti.modelio.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.files.GitLfsPointer;
import io.tutti.modelio.files.PlainFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * Reads JSON that nobody vouches for. Only what RFC 8259 allows is accepted: UTF-8 without a byte-order mark, no NaN,
 * no comments, nothing after the value. Keys may not repeat (unless {@link Duplicates#ALLOWED} is asked for, for
 * vocabularies of a hundred thousand keys), nesting is bounded, and every error is a {@link ModelException} of one
 * line.
 */
public final class StrictJson {
    /** Deep enough for every file of a model; deeper is an attack on the stack. */
    private static final int DEEPEST = 100;

    /** What Jackson tells programmers: which of its settings would let this pass, and where its objects lie. */
    private static final Pattern ADVICE = Pattern.compile(
            ",? from `[^`]*`|: enable `.*|: maybe a .*| \\(start marker at .*| \\(not recognized as one since .*");

    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
    private static final int LONGEST_STRING = 100_000_000;
    private static final int LONGEST_NAME = 1_000_000;
    private static final int LONGEST_NUMBER = 1000;

    /** A tree takes some hundred bytes a value, far more than its text; no configuration has nearly as many. */
    private static final long MOST_TOKENS_OF_A_TREE = 40_000;

    private static final JsonMapper MAPPER = mapper(Long.MAX_VALUE);
    private static final JsonMapper TREE_MAPPER = mapper(MOST_TOKENS_OF_A_TREE);

    /** What to do about a key that repeats within one object. */
    public enum Duplicates {
        REFUSED,
        ALLOWED
    }

    /** Takes a whole value from a parser that stands on its first token, and leaves it on the last. */
    @FunctionalInterface
    public interface Reader<T> {
        T read(JsonParser parser) throws IOException;
    }

    private StrictJson() {}

    /** The whole of {@code file}, which may have {@code most} bytes. */
    public static byte[] readBytes(Path file, int most) {
        PlainFile.require(file);
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(most + 1);
            if (bytes.length > most) {
                throw ModelException.of(file, "is longer than the " + most + " bytes that are accepted");
            }
            GitLfsPointer.refuse(file, bytes);
            return bytes;
        } catch (IOException e) {
            throw ModelException.io(file, e);
        }
    }

    /** The JSON object in {@code bytes}, which are {@code file}'s. */
    public static ObjectNode object(Path file, byte[] bytes) {
        JsonNode root = read(TREE_MAPPER, file, bytes, Duplicates.REFUSED, JsonTree::read);
        if (root instanceof ObjectNode object) {
            return object;
        }
        throw ModelException.of(file, "holds a JSON " + name(root.asToken()) + "; an object is needed");
    }

    /** Reads the one value in {@code bytes}, which are {@code file}'s, with {@code reader}. */
    public static <T> T read(Path file, byte[] bytes, Duplicates duplicates, Reader<T> reader) {
        return read(MAPPER, file, bytes, duplicates, reader);
    }

    private static <T> T read(JsonMapper mapper, Path file, byte[] bytes, Duplicates duplicates, Reader<T> reader) {
        if (startsWithByteOrderMark(bytes)) {
            throw ModelException.of(file, "begins with a byte-order mark; JSON is plain UTF-8");
        }
        InputStreamReader characters = new InputStreamReader(
                new ByteArrayInputStream(bytes),
                StandardCharsets.UTF_8
                        .newDecoder()
                        .onMalformedInput(CodingErrorAction.REPORT)
                        .onUnmappableCharacter(CodingErrorAction.REPORT));
        try (JsonParser parser = mapper.createParser(characters)) {
            parser.configure(
                    StreamReadFeature.STRICT_DUPLICATE_DETECTION.mappedFeature(), duplicates == Duplicates.REFUSED);
            if (parser.nextToken() == null) {
                throw ModelException.of(file, "is empty; a JSON object is needed");
            }
            T value = reader.read(parser);
            if (parser.nextToken() != null) {
                throw ModelException.of(
                        file, "has something after its JSON value, at " + place(parser.currentTokenLocation()));
            }
            return value;
        } catch (JsonProcessingException e) {
            String message = ADVICE.matcher(
                            e.getOriginalMessage().lines().findFirst().orElse("error"))
                    .replaceAll("");
            throw new ModelException(
                    file + ": is not valid JSON at " + place(e.getLocation()) + ": " + ModelException.excerpt(message),
                    e);
        } catch (CharacterCodingException e) {
            throw new ModelException(file + ": is not valid UTF-8", e);
        } catch (IOException e) {
            throw ModelException.io(file, e);
        }
    }

    /** What a token is called in a message. */
    public static String name(JsonToken token) {
        return switch (token) {
            case START_OBJECT, END_OBJECT -> "object";
            case START_ARRAY, END_ARRAY -> "list";
            case VALUE_STRING, FIELD_NAME -> "string";
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "number";
            case VALUE_TRUE, VALUE_FALSE -> "boolean";
            case VALUE_NULL -> "null";
            case NOT_AVAILABLE, VALUE_EMBEDDED_OBJECT -> "value";
        };
    }

    private static JsonMapper mapper(long mostTokens) {
        // Neither name table nor interning: a file with a million names must not fill them.
        return JsonMapper.builder(JsonFactory.builder()
                        .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                        .streamReadConstraints(StreamReadConstraints.builder()
                                .maxNestingDepth(DEEPEST)
                                .maxStringLength(LONGEST_STRING)
                                .maxNameLength(LONGEST_NAME)
                                .maxNumberLength(LONGEST_NUMBER)
                                .maxTokenCount(mostTokens)
                                .build())
                        .build())
                .build();
    }

    private static boolean startsWithByteOrderMark(byte[] bytes) {
        return bytes.length >= BYTE_ORDER_MARK.length
                && Arrays.equals(bytes, 0, BYTE_ORDER_MARK.length, BYTE_ORDER_MARK, 0, BYTE_ORDER_MARK.length);
    }

    private static String place(JsonLocation location) {
        return location == null ? "its end" : "line " + location.getLineNr() + ", column " + location.getColumnNr();
    }
}
