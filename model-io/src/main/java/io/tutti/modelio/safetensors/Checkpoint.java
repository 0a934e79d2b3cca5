package io.tutti.modelio.safetensors;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.ModelDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The tensors of a model directory: one safetensors file, or shards with an index. Opening it checks every header and
 * maps nothing; no file stays open. A tensor about which the index and the shards disagree is refused when it is asked
 * for; {@link #notes} names it in any case. All have a causal model's names ({@link TensorNames}).
 */
public final class Checkpoint {
    /** The single file of a model that is not sharded. */
    public static final String FILE_NAME = "model.safetensors";

    private final Path directory;
    private final Path source;
    private final Map<String, TensorInfo> tensors;
    private final Map<String, Shards.Dispute> disputed;
    private final Map<String, String> metadata;
    private final boolean renamed;

    private Checkpoint(Path directory, Path source, Shards shards) {
        this.directory = directory;
        this.source = source;
        tensors = new LinkedHashMap<>();
        TensorNames.causal(shards.tensors()).forEach((name, tensor) -> tensors.put(name, tensor.named(name)));
        disputed = TensorNames.causal(shards.disputed());
        renamed = !tensors.keySet().equals(shards.tensors().keySet());
        metadata = Collections.unmodifiableMap(shards.metadata());
    }

    /**
     * Opens the weights in {@code dir}: the files that {@link WeightFiles} names.
     *
     * @throws ModelException if there are none, or a header or the index is wrong
     */
    public static Checkpoint open(Path dir) {
        ModelDirectory directory = ModelDirectory.open(dir);
        return switch (WeightFiles.of(directory)) {
            case WeightFiles.Single(String name) ->
                new Checkpoint(dir, dir.resolve(name), Shards.single(dir.resolve(name)));
            case WeightFiles.Sharded _ ->
                new Checkpoint(dir, dir, Shards.read(directory, ShardIndex.read(dir.resolve(ShardIndex.FILE_NAME))));
        };
    }

    public Path directory() {
        return directory;
    }

    /** What to name in messages about the weights as a whole: their file, or the directory of several. */
    public Path source() {
        return source;
    }

    /** The names of all tensors that can be had, in the order of the files. */
    public Set<String> names() {
        return Collections.unmodifiableSet(tensors.keySet());
    }

    /** Whether the files hold such a tensor or the index names it; {@link #tensor} may still refuse it. */
    public boolean contains(String name) {
        return tensors.containsKey(name) || disputed.containsKey(name);
    }

    /**
     * What the header says of a tensor.
     *
     * @throws ModelException if the checkpoint has no such tensor, or index and shards disagree about it
     */
    public TensorInfo tensor(String name) {
        if (disputed.containsKey(name)) {
            throw ModelException.of(
                    directory.resolve(ShardIndex.FILE_NAME), disputed.get(name).text(name));
        }
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

    /** What is odd about the files. None of it matters to a model that has got all the tensors it asked for. */
    public List<String> notes() {
        List<String> notes = new ArrayList<>();
        disputed.entrySet().stream()
                .findFirst()
                .ifPresent(first -> notes.add(ShardIndex.FILE_NAME + ": "
                        + first.getValue().text(first.getKey()) + others(disputed.size() - 1)
                        + "; the model does not use " + (disputed.size() == 1 ? "it" : "them")));
        if (renamed) {
            notes.add("the tensors' names lack \"model.\", as those of a model without an output projection do");
        }
        return notes;
    }

    private static String others(int count) {
        return count == 0 ? "" : ", and " + count + " more such tensor" + (count == 1 ? "" : "s");
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
}
