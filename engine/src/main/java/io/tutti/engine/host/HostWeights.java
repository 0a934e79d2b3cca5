package io.tutti.engine.host;

import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.graph.Weight;
import io.tutti.engine.parallel.Workers;
import io.tutti.modelio.weights.WeightFormat;
import io.tutti.modelio.weights.WeightSource;
import java.lang.foreign.Arena;
import java.util.ArrayList;
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
        int loaded = 0;
        for (int from = 0; from < entries.size(); from += BATCH) {
            List<Entry<String, Weight>> batch = entries.subList(from, Math.min(entries.size(), from + BATCH));
            allocate(batch, source, workers, packer);
            for (Entry<String, Weight> entry : batch) {
                switch (entry.getValue()) {
                    case Weight.Matrix matrix -> load(entry.getKey(), matrix, source, packer);
                    case Weight.Vector vector -> load(entry.getKey(), vector, source);
                }
                progress.loaded(++loaded, entries.size());
            }
        }
    }

    /**
     * Matrices get their memory in parallel, each from one worker: zeroing it takes as long as filling it. What is wrong with
     * one is found before, in order.
     */
    private void allocate(
            List<Entry<String, Weight>> entries, WeightSource source, Workers workers, MatrixPacker packer) {
        List<Stored> stored = new ArrayList<>();
        for (Entry<String, Weight> entry : entries) {
            if (entry.getValue() instanceof Weight.Matrix matrix) {
                WeightFormat format = source.format(entry.getKey(), matrix.rows(), matrix.cols());
                stored.add(new Stored(entry.getKey(), matrix, format));
            }
        }
        workers.forEach(stored.size(), (i, _) -> {
            Stored s = stored.get(i);
            matrices.put(
                    s.name(),
                    packer.allocate(s.format(), s.matrix().rows(), s.matrix().cols()));
        });
    }

    private record Stored(String name, Weight.Matrix matrix, WeightFormat format) {}

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
