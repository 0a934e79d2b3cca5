package io.tutti.sample;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;

/** The project's golden vectors. */
final class Golden {
    private Golden() {}

    static JsonNode vectors(String file) {
        try {
            return new ObjectMapper()
                    .readTree(folder().resolve("vectors").resolve(file).toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path folder() {
        String property = System.getProperty("tutti.golden");
        if (property != null) {
            return Path.of(property);
        }
        for (Path path = Path.of("").toAbsolutePath(); path != null; path = path.getParent()) {
            if (Files.isDirectory(path.resolve("golden"))) {
                return path.resolve("golden");
            }
        }
        throw new IllegalStateException("no folder golden here or above; set -Dtutti.golden");
    }

    static List<JsonNode> list(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).toList();
    }

    static int[] ints(JsonNode array) {
        return list(array).stream().mapToInt(JsonNode::intValue).toArray();
    }

    static long u64(JsonNode hex) {
        return Long.parseUnsignedLong(hex.textValue(), 16);
    }

    static int u32(JsonNode hex) {
        return Integer.parseUnsignedInt(hex.textValue(), 16);
    }

    static double f64(JsonNode bitsAndValue) {
        return Double.longBitsToDouble(u64(bitsAndValue.get("bits")));
    }
}
