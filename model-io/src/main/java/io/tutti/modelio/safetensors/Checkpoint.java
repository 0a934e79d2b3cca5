package io.tutti.modelio.safetensors;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.ModelDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The tensors of a model directory: one safetensors file, or shards with an index. Opening it checks every header and
 * maps nothing; no file stays open.
 */
public final class Checkpoint {
    /** The single file of a model that is not sharded. */
    public static final String FILE_NAME = "model.safetensors";

    private final Path directory;
    private final Path source;
    private final Map<String, TensorInfo> tensors;
    private final Map<String, String> metadata;

    private Checkpoint(Path directory, Path source, Map<String, TensorInfo> tensors, Map<String, String> metadata) {
        this.directory = directory;
        this.source = source;
        this.tensors = Collections.unmodifiableMap(tensors);
        this.metadata = Collections.unmodifiableMap(metadata);
    }

    /**
     * Opens the weights in {@code dir}: the files that {@link WeightFiles} names.
     *
     * @throws ModelException if there are none, or a header or the index is wrong
     */
    public static Checkpoint open(Path dir) {
        ModelDirectory directory = ModelDirectory.open(dir);
        return switch (WeightFiles.of(directory)) {
            case WeightFiles.Single(String name) -> single(dir, dir.resolve(name));
            case WeightFiles.Sharded _ -> sharded(directory, ShardIndex.read(dir.resolve(ShardIndex.FILE_NAME)));
        };
    }

    public Path directory() {
        return directory;
    }

    /** What to name in messages about the weights as a whole: their file, or the directory of several. */
    public Path source() {
        return source;
    }

    /** All tensors' names, in the order of the files. */
    public Set<String> names() {
        return tensors.keySet();
    }

    public boolean contains(String name) {
        return tensors.containsKey(name);
    }

    /**
     * What the header says of a tensor.
     *
     * @throws ModelException if the checkpoint has no such tensor
     */
    public TensorInfo tensor(String name) {
        TensorInfo tensor = tensors.get(name);
        if (tensor == null) {
            throw ModelException.of(source, "the weights have no tensor " + ModelException.quote(name));
        }
        return tensor;
    }

    /** The files' {@code __metadata__}, together. */
    public Map<String, String> metadata() {
        return metadata;
    }

    /** Bytes of all tensors. */
    public long bytes() {
        return tensors.values().stream().mapToLong(TensorInfo::bytes).sum();
    }

    /**
     * Maps one tensor.
     *
     * @throws ModelException if the checkpoint has no such tensor, or its file cannot be mapped
     */
    public TensorWindow map(String name) {
        TensorInfo tensor = tensor(name);
        try {
            return TensorWindow.map(tensor);
        } catch (IOException e) {
            throw ModelException.io(tensor.file(), e);
        }
    }

    private static Checkpoint single(Path dir, Path file) {
        SafetensorsHeader header = SafetensorsHeader.read(file);
        return new Checkpoint(dir, file, header.tensors(), header.metadata());
    }

    private static Checkpoint sharded(ModelDirectory directory, ShardIndex index) {
        Map<String, TensorInfo> tensors = new LinkedHashMap<>();
        Map<String, String> metadata = new HashMap<>();
        for (String shard : index.shards()) {
            if (!directory.has(shard)) {
                throw ModelException.of(
                        index.file(), "names the shard " + ModelException.quote(shard) + ", which is not there");
            }
            SafetensorsHeader header = SafetensorsHeader.read(directory.path().resolve(shard));
            header.tensors().forEach((name, tensor) -> {
                requirePlace(index, name, shard);
                tensors.put(name, tensor);
            });
            header.metadata().forEach((key, value) -> {
                String other = metadata.putIfAbsent(key, value);
                if (other != null && !other.equals(value)) {
                    throw ModelException.of(
                            directory.path().resolve(shard),
                            "metadata " + ModelException.quote(key) + " = " + ModelException.quote(value)
                                    + ", another shard has " + ModelException.quote(other)
                                    + "; the shards are not of one model");
                }
            });
        }
        index.places().forEach((name, shard) -> {
            if (!tensors.containsKey(name)) {
                throw ModelException.of(
                        index.file(),
                        "says that tensor " + ModelException.quote(name) + " is in " + ModelException.quote(shard)
                                + ", which does not hold it");
            }
        });
        return new Checkpoint(directory.path(), directory.path(), tensors, metadata);
    }

    /** A tensor in two shards is one that lies, once, where the index does not say. */
    private static void requirePlace(ShardIndex index, String name, String shard) {
        String place = index.places().get(name);
        if (!shard.equals(place)) {
            throw ModelException.of(
                    index.file(),
                    "tensor " + ModelException.quote(name) + " is in " + ModelException.quote(shard)
                            + (place == null
                                    ? ", which the index does not say"
                                    : ", the index says " + ModelException.quote(place)));
        }
    }
}
