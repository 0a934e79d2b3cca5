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
 * @param tensors by name, those about which index and shards agree
 * @param disputed the other ones, by name
 * @param metadata the files' {@code __metadata__}
 */
record Shards(Map<String, TensorInfo> tensors, Map<String, Dispute> disputed, Map<String, String> metadata) {

    /**
     * Index and shards disagree about a tensor. One in two shards lies, once, where the index does not say.
     *
     * @param holder a shard that holds it although the index does not say so; empty if none does
     * @param place the shard that the index names; empty if it names none
     */
    record Dispute(String holder, String place) {

        /** What is wrong about the tensor {@code name}, as of the index. */
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
     * @throws ModelException if one is not there, or is of another model
     */
    static Shards read(ModelDirectory directory, ShardIndex index) {
        Shards shards = new Shards(new LinkedHashMap<>(), new TreeMap<>(), new TreeMap<>());
        for (String shard : index.shards()) {
            if (!directory.has(shard)) {
                throw ModelException.of(
                        index.file(), "names the shard " + ModelException.quote(shard) + ", which is not there");
            }
            shards.add(directory.path().resolve(shard), index);
        }
        index.places().forEach((name, shard) -> {
            if (!shards.tensors.containsKey(name)) {
                shards.disputed.putIfAbsent(name, new Dispute("", shard));
            }
        });
        shards.tensors.keySet().removeAll(shards.disputed.keySet());
        return shards;
    }

    private void add(Path file, ShardIndex index) {
        SafetensorsHeader header = SafetensorsHeader.read(file);
        String shard = file.getFileName().toString();
        header.tensors().forEach((name, tensor) -> {
            String place = index.places().getOrDefault(name, "");
            if (shard.equals(place)) {
                tensors.put(name, tensor);
            } else {
                disputed.put(name, new Dispute(shard, place));
            }
        });
        header.metadata().forEach((key, value) -> {
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
