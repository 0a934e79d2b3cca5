package io.tutti.modelio;

import io.tutti.modelio.config.ConfigFile;
import io.tutti.modelio.config.TextConfig;
import io.tutti.modelio.safetensors.Checkpoint;
import io.tutti.modelio.weights.TiedHead;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;

/** Small files of a model, written byte by byte and so independent of the code under test. */
public final class Models {
    /** A config.json that is accepted. */
    public static final String CONFIG = """
            {"model_type": "llama", "hidden_size": 8, "intermediate_size": 12, "num_hidden_layers": 1,
             "num_attention_heads": 2, "vocab_size": 16}""";

    private Models() {}

    /** A safetensors file's bytes: the length, the header as it is given, the data. */
    public static byte[] safetensors(String header, byte... data) {
        byte[] json = header.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(8 + json.length + data.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(json.length)
                .put(json)
                .put(data)
                .array();
    }

    public static Path write(Path dir, String name, byte[] bytes) {
        try {
            return Files.write(dir.resolve(name), bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Path write(Path dir, String name, String text) {
        return write(dir, name, text.getBytes(StandardCharsets.UTF_8));
    }

    /** The embedding and the output projection of such a model, of which the file says whether they are one. */
    public static TiedHead.Names head(boolean tied) {
        return new TiedHead.Names("model.embed_tokens.weight", "lm_head.weight", tied);
    }

    /** The layers' projections among the tensors of a model. */
    public static Set<String> projections(Path dir) {
        return Checkpoint.open(dir).names().stream()
                .map(name -> name.replaceFirst("\\.(qweight|scales)$", ""))
                .filter(name -> name.endsWith("_proj.weight"))
                .collect(Collectors.toSet());
    }

    public static TextConfig config(Path dir, String json) {
        write(dir, ConfigFile.NAME, json);
        return TextConfig.load(dir);
    }
}
