package io.tutti.engine.golden;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tutti.modelio.safetensors.SafetensorsHeader;
import io.tutti.modelio.safetensors.TensorInfo;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Golden's models with what Hugging Face and golden's numerics make of them. */
public final class Golden {

    public static final Path HOME = Path.of(System.getProperty("tutti.golden"));

    private static final ObjectMapper JSON = new ObjectMapper();

    private Golden() {}

    /** A prompt and its references; logits are rows {@code firstRow} and up. */
    public record Prompt(int index, int[] tokens, int firstRow, int[] greedy, int compared) {}

    /** A model directory of golden's. */
    public record Model(String name) {
        public Path dir() {
            return HOME.resolve("models").resolve(name);
        }

        public List<Prompt> prompts() {
            List<Prompt> prompts = new ArrayList<>();
            for (JsonNode p : json(dir().resolve("reference.json")).get("prompts")) {
                prompts.add(new Prompt(
                        prompts.size(),
                        ints(p.get("tokens")),
                        p.get("first_row").asInt(),
                        ints(p.get("greedy")),
                        p.get("compared").asInt()));
            }
            return prompts;
        }

        /** A tensor of reference.safetensors. */
        public float[] reference(String tensor) {
            Path file = dir().resolve("reference.safetensors");
            TensorInfo info = SafetensorsHeader.read(file).tensors().get(tensor);
            if (info == null) {
                throw new AssertionError(file + " has no tensor " + tensor);
            }
            ByteBuffer bytes = ByteBuffer.wrap(read(file)).order(ByteOrder.LITTLE_ENDIAN);
            float[] values = new float[Math.toIntExact(info.bytes() / Float.BYTES)];
            bytes.position(Math.toIntExact(info.offset()))
                    .slice()
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .asFloatBuffer()
                    .get(values);
            return values;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** Every model that has references. */
    public static Stream<Model> models() {
        try (Stream<Path> dirs = Files.list(HOME.resolve("models"))) {
            return dirs
                    .filter(dir -> Files.exists(dir.resolve("reference.safetensors")))
                    .map(dir -> new Model(dir.getFileName().toString()))
                    .sorted((a, b) -> a.name().compareTo(b.name()))
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Those of the models that have layers. */
    public static Stream<Model> llamas() {
        return models().filter(model -> !model.name().equals("bigram"));
    }

    /** Those of the models that have references of their hidden states. */
    public static Stream<Model> llamasWithHidden() {
        return llamas().filter(model -> !model.name().equals("demo"));
    }

    /** A JSON file. */
    public static JsonNode json(Path file) {
        try {
            return JSON.readTree(file.toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static int[] ints(JsonNode array) {
        int[] values = new int[array.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = array.get(i).asInt();
        }
        return values;
    }

    /** f32 bit patterns, eight hexadecimal digits each with blanks between; or an object that holds them as "bits". */
    public static float[] floats(JsonNode node) {
        String[] words = (node.isObject() ? node.get("bits") : node).asText().split(" ", -1);
        float[] values = new float[words.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = Float.intBitsToFloat(Integer.parseUnsignedInt(words[i], 16));
        }
        return values;
    }

    /** The shape beside an object's bits. */
    public static int[] shape(JsonNode node) {
        return ints(node.get("shape"));
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
