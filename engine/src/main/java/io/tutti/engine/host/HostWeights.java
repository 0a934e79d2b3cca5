package io.tutti.engine.host;

import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.graph.Weight;
import io.tutti.modelio.weights.WeightFormat;
import io.tutti.modelio.weights.WeightSource;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.concurrent.ConcurrentHashMap;

/** A graph's weights in memory of the program's own, each loaded once, by name. */
final class HostWeights {

    /** Weights that get their memory at once: enough for all workers, and little memory before it is needed. */
    private static final int BATCH = 32;

    private final Map<String, PackedMatrix> matrices = new ConcurrentHashMap<>();
    private final Map<String, float[]> vectors = new HashMap<>();
    private long bytes;

    /**
     * Loads them.
     *
     * @param weights what the graph asks for, in the order of first use
     * @param workers who packs matrices
     * @param arena where matrices live
     */
    HostWeights(Map<String, Weight> weights, WeightSource source, Workers workers, Arena arena, LoadProgress progress) {
        MatrixPacker packer = new MatrixPacker(workers, arena);
        List<Entry<String, Weight>> entries = List.copyOf(weights.entrySet());
        for (int i = 0; i < entries.size(); i++) {
            if (i % BATCH == 0) {
                allocate(entries.subList(i, Math.min(entries.size(), i + BATCH)), source, workers, packer);
            }
            String name = entries.get(i).getKey();
            switch (entries.get(i).getValue()) {
                case Weight.Matrix matrix -> load(name, matrix, source, packer);
                case Weight.Vector vector -> load(name, vector, source);
            }
            progress.loaded(i + 1, entries.size());
        }
    }

    /** Matrices get their memory in parallel, each from one worker: to zero it takes as long as to fill it. */
    private void allocate(
            List<Entry<String, Weight>> entries, WeightSource source, Workers workers, MatrixPacker packer) {
        workers.forEach(entries.size(), (i, _) -> {
            if (entries.get(i).getValue() instanceof Weight.Matrix matrix) {
                String name = entries.get(i).getKey();
                WeightFormat format = source.format(name, matrix.rows(), matrix.cols());
                matrices.put(name, packer.allocate(format, matrix.rows(), matrix.cols()));
            }
        });
    }

    private void load(String name, Weight.Matrix matrix, WeightSource source, MatrixPacker packer) {
        PackedMatrix tiles = matrices.get(name);
        try (io.tutti.modelio.weights.Weight stored = source.matrix(name, matrix.rows(), matrix.cols())) {
            packer.pack(stored, tiles);
        }
        bytes += tiles.bytes();
    }

    private void load(String name, Weight.Vector vector, WeightSource source) {
        vectors.put(name, source.vector(name, vector.length()));
        bytes += (long) vector.length() * Float.BYTES;
    }

    PackedMatrix matrix(String name) {
        return matrices.get(name);
    }

    float[] vector(String name) {
        return vectors.get(name);
    }

    /** Bytes that the weights take as they are loaded. */
    long bytes() {
        return bytes;
    }
}
