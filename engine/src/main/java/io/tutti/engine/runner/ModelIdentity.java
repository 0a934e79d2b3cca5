package io.tutti.engine.runner;

import io.tutti.engine.backend.Device;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.selftest.Verdict;
import io.tutti.engine.selftest.Verdict.Approximate;
import io.tutti.engine.selftest.Verdict.Broken;
import io.tutti.engine.selftest.Verdict.Exact;
import io.tutti.modelio.safetensors.Checkpoint;
import io.tutti.modelio.safetensors.TensorInfo;
import io.tutti.modelio.safetensors.TensorWindow;
import java.lang.foreign.MemorySegment;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;

/** What keys and values depend on besides the tokens, as texts that differ wherever those may. */
final class ModelIdentity {

    /** The version of golden's numerics specification. */
    private static final int NUMERICS = 1;

    private static final long PIECE = 1 << 30;

    private ModelIdentity() {}

    /** The arithmetic, the graph, how weights are quantized, and the cache's type. */
    static String of(Graph graph, EngineConfig engine, Device device, Verdict verdict) {
        String quant =
                engine.quantGroup().isPresent() ? "int4:" + engine.quantGroup().getAsInt() : "as stored";
        return String.join(
                ", ", arithmetic(device, verdict), graph.text(), "weights " + quant + ", cache " + engine.kvDtype());
    }

    /** All exact devices have the same; an approximate one's is its own, and its driver's. */
    private static String arithmetic(Device device, Verdict verdict) {
        return switch (verdict) {
            case Exact _ -> "numerics " + NUMERICS;
            case Approximate _ -> "arithmetic of " + device.description() + " (" + device.driver() + ")";
            case Broken broken -> throw new EngineException("device " + device.name() + " is " + broken.text());
        };
    }

    /** A checksum of every tensor: all bytes are read for it, at the speed of memory. */
    static String checksums(Checkpoint checkpoint) {
        return checkpoint.names().stream().sorted().toList().parallelStream()
                .map(name -> checksum(checkpoint, checkpoint.tensor(name)))
                .collect(Collectors.joining("\n"));
    }

    private static String checksum(Checkpoint checkpoint, TensorInfo tensor) {
        CRC32C crc = new CRC32C();
        if (tensor.bytes() > 0) {
            try (TensorWindow window = checkpoint.map(tensor.name())) {
                MemorySegment data = window.data();
                for (long at = 0; at < data.byteSize(); at += PIECE) {
                    crc.update(data.asSlice(at, Math.min(PIECE, data.byteSize() - at))
                            .asByteBuffer());
                }
            }
        }
        return String.join(
                " ", tensor.name(), tensor.dtype().name(), tensor.shapeText(), Long.toHexString(crc.getValue()));
    }
}
