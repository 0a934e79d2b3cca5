package io.tutti.modelio.safetensors;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.ModelDirectory;
import java.util.List;
import java.util.regex.Pattern;

/** Which of a model directory's files hold its weights; where several would do, it is always the same. */
public sealed interface WeightFiles {

    /** All weights in one file. */
    record Single(String fileName) implements WeightFiles {}

    /** Weights in the shards that {@link ShardIndex#FILE_NAME} names. */
    record Sharded() implements WeightFiles {}

    Pattern SHARD = Pattern.compile(".*-of-\\d+\\.safetensors");
    Pattern VARIANT = Pattern.compile("model\\.[^.]+\\.safetensors");
    Pattern ONLY_SHARD = Pattern.compile(".*-0*1-of-0*1\\.safetensors");

    /**
     * model.safetensors, else the shards that model.safetensors.index.json names, else the one file that bears another of
     * Hugging Face's names: a variant's, model.fp16.safetensors, or that of a lone shard,
     * model-00001-of-00001.safetensors.
     *
     * @throws ModelException if there are none, or which one is meant cannot be told
     */
    static WeightFiles of(ModelDirectory directory) {
        if (directory.has(Checkpoint.FILE_NAME)) {
            return new Single(Checkpoint.FILE_NAME);
        }
        return directory.has(ShardIndex.FILE_NAME) ? new Sharded() : new Single(loneFile(directory));
    }

    private static String loneFile(ModelDirectory directory) {
        List<String> files = directory.fileNames().stream()
                .filter(name -> name.endsWith(".safetensors"))
                .toList();
        if (files.isEmpty()) {
            throw directory.missing(Checkpoint.FILE_NAME);
        }
        String name = files.getFirst();
        boolean oneOfMany =
                SHARD.matcher(name).matches() && !ONLY_SHARD.matcher(name).matches();
        if (files.size() > 1 || oneOfMany) {
            throw ModelException.of(
                    directory.path(),
                    "has " + (oneOfMany ? "a shard, " : "several weight files, such as ") + ModelException.quote(name)
                            + ", but no " + ShardIndex.FILE_NAME);
        }
        if (name.startsWith("adapter")) {
            throw ModelException.of(
                    directory.path().resolve(name), "is an adapter, not a model; merge it into its model first");
        }
        if (!VARIANT.matcher(name).matches() && !ONLY_SHARD.matcher(name).matches()) {
            throw ModelException.of(
                    directory.path(),
                    "has no " + Checkpoint.FILE_NAME + "; there is " + ModelException.quote(name)
                            + ", which is not the name of a model's weights");
        }
        return name;
    }
}
