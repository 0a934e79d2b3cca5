package io.tutti.modelio;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** The project's golden files. */
public final class Golden {
    private static final Path ROOT = Path.of(System.getProperty("tutti.golden"));

    private Golden() {}

    public static Path model(String name) {
        return ROOT.resolve("models").resolve(name);
    }

    public static JsonNode vectors(String name) {
        try {
            return new ObjectMapper()
                    .readTree(ROOT.resolve("vectors").resolve(name).toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
