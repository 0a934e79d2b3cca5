package io.tutti.modelio.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.json.StrictJson.Duplicates;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * JSON as plain Java, under {@link StrictJson}'s rules: an object is an unmodifiable {@code Map<String, Object>} in the
 * file's order, a list an unmodifiable {@code List<Object>}, and the rest {@code String}, {@code Long}, {@code
 * BigInteger}, {@code Double}, {@code Boolean} or null.
 */
public final class PlainJson {
    private PlainJson() {}

    /** The one value in {@code bytes}, which are {@code file}'s. */
    public static Object value(Path file, byte[] bytes) {
        // A holder, since the value may be null.
        return StrictJson.read(file, bytes, Duplicates.REFUSED, parser -> Collections.singletonList(value(parser)))
                .getFirst();
    }

    /**
     * The fields of the object in {@code bytes}, which are {@code file}'s, whose keys are {@code wanted}. The others
     * are passed over, whatever their size.
     */
    public static Map<String, Object> object(Path file, byte[] bytes, Predicate<String> wanted) {
        return StrictJson.read(file, bytes, Duplicates.REFUSED, parser -> {
            if (parser.currentToken() != JsonToken.START_OBJECT) {
                throw ModelException.of(
                        file, "holds a JSON " + StrictJson.name(parser.currentToken()) + "; an object is needed");
            }
            return object(parser, wanted);
        });
    }

    private static Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser, _ -> true);
            case START_ARRAY -> list(parser);
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT ->
                switch (parser.getNumberType()) {
                    case INT, LONG -> parser.getLongValue();
                    default -> parser.getBigIntegerValue();
                };
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> throw new IllegalStateException("no value begins with " + parser.currentToken());
        };
    }

    private static Map<String, Object> object(JsonParser parser, Predicate<String> wanted) throws IOException {
        Map<String, Object> fields = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String key = parser.currentName();
            parser.nextToken();
            if (wanted.test(key)) {
                fields.put(key, value(parser));
            } else {
                parser.skipChildren();
            }
        }
        return Collections.unmodifiableMap(fields);
    }

    private static List<Object> list(JsonParser parser) throws IOException {
        List<Object> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.add(value(parser));
        }
        return Collections.unmodifiableList(items);
    }
}
