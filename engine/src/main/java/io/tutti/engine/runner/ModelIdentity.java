package io.tutti.engine.runner;

import io.tutti.modelio.config.ModelConfig;
import io.tutti.modelio.safetensors.Checkpoint;
import io.tutti.modelio.safetensors.TensorInfo;
import io.tutti.modelio.safetensors.TensorWindow;
import io.tutti.modelio.weights.Weights;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A text that differs wherever keys and values may differ for the same tokens: the config, the quantization, the cache's
 * type, and a digest of the checkpoint. The digest takes the tensors' names and shapes, and from each tensor the first and
 * the last bytes: enough to tell models apart without reading them whole.
 */
final class ModelIdentity {

    private static final long SAMPLE_BYTES = 256;

    private ModelIdentity() {}

    static String of(ModelConfig config, Weights weights, EngineConfig engine) {
        String quant =
                engine.quantGroup().isPresent() ? "int4:" + engine.quantGroup().getAsInt() : "as stored";
        return String.join("\n", config.toString(), quant, engine.kvDtype().name(), digest(weights.checkpoint()));
    }

    private static String digest(Checkpoint checkpoint) {
        MessageDigest sha = sha256();
        for (String name : checkpoint.names().stream().sorted().toList()) {
            TensorInfo tensor = checkpoint.tensor(name);
            sha.update(
                    (name + ' ' + tensor.dtype() + ' ' + tensor.shapeText() + '\n').getBytes(StandardCharsets.UTF_8));
            if (tensor.bytes() > 0) {
                try (TensorWindow window = checkpoint.map(name)) {
                    MemorySegment data = window.data();
                    long n = Math.min(SAMPLE_BYTES, data.byteSize());
                    sha.update(data.asSlice(0, n).asByteBuffer());
                    sha.update(data.asSlice(data.byteSize() - n, n).asByteBuffer());
                }
            }
        }
        return HexFormat.of().formatHex(sha.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
