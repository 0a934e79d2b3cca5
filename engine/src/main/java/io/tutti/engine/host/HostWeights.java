package io.tutti.engine.host;

import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.graph.Weight;
import io.tutti.modelio.weights.WeightSource;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;

/** A graph's weights in memory of the program's own, each loaded once, by name. */
final class HostWeights {

    private final Map<String, PackedMatrix> matrices = new HashMap<>();
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
        allocate(weights, source, workers, packer);
        int loaded = 0;
        for (Entry<String, Weight> entry : weights.entrySet()) {
            String name = entry.getKey();
            switch (entry.getValue()) {
                case Weight.Matrix matrix -> load(name, matrix, source, packer);
                case Weight.Vector vector -> load(name, vector, source);
            }
            progress.loaded(++loaded, weights.size());
        }
    }

    /** All matrices get their memory at once, each from one worker: to zero it takes as long as to fill it. */
    private void allocate(Map<String, Weight> weights, WeightSource source, Workers workers, MatrixPacker packer) {
        List<Entry<String, Weight>> entries = List.copyOf(weights.entrySet());
        PackedMatrix[] allocated = new PackedMatrix[entries.size()];
        workers.forEach(allocated.length, (i, _) -> {
            if (entries.get(i).getValue() instanceof Weight.Matrix matrix) {
                String name = entries.get(i).getKey();
                allocated[i] = packer.allocate(
                        source.format(name, matrix.rows(), matrix.cols()), matrix.rows(), matrix.cols());
            }
        });
        for (int i = 0; i < allocated.length; i++) {
            if (allocated[i] != null) {
                matrices.put(entries.get(i).getKey(), allocated[i]);
            }
        }
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
