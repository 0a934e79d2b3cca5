package io.tutti.modelio.safetensors;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.json.StrictJson;
import io.tutti.modelio.json.StrictJson.Duplicates;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * model.safetensors.index.json: which shard holds which tensor.
 *
 * @param places shard file names by tensor name, without {@code ./} before them
 */
public record ShardIndex(Path file, Map<String, String> places) {
    public static final String FILE_NAME = "model.safetensors.index.json";
    private static final int LONGEST_FILE = 100_000_000;
    private static final String WEIGHT_MAP = "weight_map";

    public ShardIndex {
        places = Collections.unmodifiableMap(new LinkedHashMap<>(places));
    }

    /**
     * Reads the index in {@code file}, whatever its name.
     *
     * @throws ModelException if it is not JSON, names no tensors, or a shard by more than a plain file name
     */
    public static ShardIndex read(Path file) {
        return parse(file, StrictJson.readBytes(file, LONGEST_FILE));
    }

    static ShardIndex parse(Path file, byte[] json) {
        Map<String, String> places = StrictJson.read(file, json, Duplicates.REFUSED, parser -> readIndex(file, parser));
        if (places == null || places.isEmpty()) {
            throw ModelException.of(file, "has no " + WEIGHT_MAP + " with tensors in it");
        }
        return new ShardIndex(file, places);
    }

    /** The shards' file names, sorted. */
    public SortedSet<String> shards() {
        return new TreeSet<>(places.values());
    }

    private static Map<String, String> readIndex(Path file, JsonParser parser) throws IOException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw ModelException.of(
                    file, "holds a JSON " + StrictJson.name(parser.currentToken()) + "; an object is needed");
        }
        Map<String, String> places = null;
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            boolean weightMap = parser.currentName().equals(WEIGHT_MAP);
            parser.nextToken();
            if (weightMap) {
                places = readPlaces(file, parser);
            } else {
                parser.skipChildren();
            }
        }
        return places;
    }

    private static Map<String, String> readPlaces(Path file, JsonParser parser) throws IOException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw ModelException.of(
                    file,
                    WEIGHT_MAP + " is a JSON " + StrictJson.name(parser.currentToken()) + "; an object is needed");
        }
        Map<String, String> places = new LinkedHashMap<>();
        Map<String, String> shardNames = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String tensor = parser.currentName();
            if (parser.nextToken() != JsonToken.VALUE_STRING) {
                throw ModelException.of(
                        file,
                        WEIGHT_MAP + " gives tensor " + ModelException.quote(tensor) + " a JSON "
                                + StrictJson.name(parser.currentToken()) + "; a file name is needed");
            }
            String shard = withoutDot(parser.getText());
            requirePlainName(file, tensor, shard);
            // Many tensors share a shard: one string for all.
            places.put(tensor, shardNames.computeIfAbsent(shard, name -> name));
        }
        return places;
    }

    /** {@code ./model.safetensors} is the same file as {@code model.safetensors}. */
    private static String withoutDot(String shard) {
        return shard.startsWith("./") ? withoutDot(shard.substring(2)) : shard;
    }

    /** The index may name files beside it and nothing else. */
    private static void requirePlainName(Path file, String tensor, String shard) {
        boolean plain = !shard.isEmpty()
                && shard.chars().noneMatch(c -> c == '/' || c == '\\' || c == ':' || c < ' ')
                && !shard.contains("..");
        if (!plain) {
            throw ModelException.of(
                    file,
                    WEIGHT_MAP + " gives tensor " + ModelException.quote(tensor) + " the file "
                            + ModelException.quote(shard) + "; a plain file name beside the index is needed");
        }
    }
}
