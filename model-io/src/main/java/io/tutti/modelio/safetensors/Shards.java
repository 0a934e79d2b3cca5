package io.tutti.modelio.safetensors;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.ModelDirectory;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the headers of a model's weight files say, together.
 *
 * @param tensors by name, those that the shards hold where the index says
 * @param disputed the other ones, by name
 * @param metadata the files' {@code __metadata__}
 */
record Shards(Map<String, TensorInfo> tensors, Map<String, Dispute> disputed, Map<String, String> metadata) {

    /**
     * How the index and the shards disagree about a tensor. That includes a tensor in two shards: the index names only one.
     *
     * @param holder a shard that holds the tensor where the index does not say so; empty if there is none
     * @param place the shard that the index names; empty if it names none
     */
    record Dispute(String holder, String place) {

        /** What is wrong about the tensor {@code name}, as a message that begins with the index's file goes on. */
        String text(String name) {
            String tensor = "tensor " + ModelException.quote(name) + " is in ";
            if (holder.isEmpty()) {
                return "says that " + tensor + ModelException.quote(place) + ", which does not hold it";
            }
            return tensor
                    + ModelException.quote(holder)
                    + (place.isEmpty()
                            ? ", which the index does not say"
                            : ", the index says " + ModelException.quote(place));
        }
    }

    /** All weights in one file. */
    static Shards single(Path file) {
        SafetensorsHeader header = SafetensorsHeader.read(file);
        return new Shards(header.tensors(), Map.of(), header.metadata());
    }

    /**
     * The shards that {@code index} names.
     *
     * @throws ModelException if one is not there, is no safetensors file, or has metadata that differ from another one's
     */
    static Shards read(ModelDirectory directory, ShardIndex index) {
        Map<String, TensorInfo> tensors = new LinkedHashMap<>();
        Map<String, Dispute> disputed = new TreeMap<>();
        Map<String, String> metadata = new TreeMap<>();
        for (String shard : index.shards()) {
            if (!directory.has(shard)) {
                throw ModelException.of(
                        index.file(), "names the shard " + ModelException.quote(shard) + ", which is not there");
            }
            Path file = directory.path().resolve(shard);
            SafetensorsHeader header = SafetensorsHeader.read(file);
            header.tensors().forEach((name, tensor) -> {
                String place = index.places().getOrDefault(name, "");
                if (shard.equals(place)) {
                    tensors.put(name, tensor);
                } else {
                    disputed.put(name, new Dispute(shard, place));
                }
            });
            merge(file, header.metadata(), metadata);
        }
        index.places().forEach((name, shard) -> {
            if (!tensors.containsKey(name)) {
                disputed.putIfAbsent(name, new Dispute("", shard));
            }
        });
        tensors.keySet().removeAll(disputed.keySet());
        return new Shards(tensors, disputed, metadata);
    }

    /** Adds the metadata of {@code file} to that of the shards before it. */
    private static void merge(Path file, Map<String, String> more, Map<String, String> metadata) {
        more.forEach((key, value) -> {
            String other = metadata.putIfAbsent(key, value);
            if (other != null && !other.equals(value)) {
                throw ModelException.of(
                        file,
                        "metadata " + ModelException.quote(key) + " = " + ModelException.quote(value)
                                + ", another shard has " + ModelException.quote(other)
                                + "; the shards are not of one model");
            }
        });
    }
}
