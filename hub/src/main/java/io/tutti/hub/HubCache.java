package io.tutti.hub;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.ModelConfig;
import io.tutti.modelio.config.ModelDirectory;
import io.tutti.modelio.safetensors.ShardIndex;
import io.tutti.modelio.safetensors.WeightFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The cache that huggingface_hub keeps, so that what was downloaded with it, or with anything that uses it, is found
 * here, and the other way round.
 *
 * @param root the directory of all repositories; it need not exist
 */
public record HubCache(Path root) {
    private static final int MOST_NAMED = 5;

    /**
     * The directory that holds {@code model}: its snapshot.
     *
     * @throws HubException if it is not in the cache, or only part of it is
     */
    public Path find(ModelName model) {
        CachedRepository repository = repository(model);
        Path snapshot = repository
                .commit(model.revision())
                .map(repository::snapshot)
                .filter(Files::isDirectory)
                .orElseThrow(() -> missing(model, repository));
        requireWhole(model, snapshot);
        return snapshot;
    }

    /** Where {@code model}'s repository lies, if it does. */
    CachedRepository repository(ModelName model) {
        return new CachedRepository(root, "models--" + model.owner() + "--" + model.name());
    }

    private HubException missing(ModelName model, CachedRepository repository) {
        List<String> known = repository.revisions();
        String instead = known.isEmpty()
                ? ""
                : "; revisions in the cache: "
                        + String.join(", ", known.subList(0, Math.min(known.size(), MOST_NAMED)))
                        + (known.size() > MOST_NAMED ? ", …" : "");
        // A name stands where a directory might: what is there in no revision may be a path that was mistyped.
        String what = known.isEmpty()
                ? "there is no directory " + model + ", nor is it"
                : model.repository() + " at revision " + model.revision() + " is not";
        return new HubException(
                what + " in the Hugging Face cache " + root + instead + "; `tutti pull " + model + "` downloads it");
    }

    /** An interrupted download leaves a snapshot without some of its files, or links to what never came. */
    private static void requireWhole(ModelName model, Path snapshot) {
        missing(snapshot).ifPresent(problem -> {
            throw new HubException("only part of " + model + " is in the Hugging Face cache: " + problem
                    + "; `tutti pull " + model + "` downloads the rest");
        });
    }

    private static Optional<String> missing(Path snapshot) {
        try {
            ModelDirectory directory = ModelDirectory.open(snapshot);
            directory.require(ModelConfig.FILE_NAME);
            Optional<String> lost = firstMissing(snapshot, directory.fileNames());
            if (lost.isEmpty() && WeightFiles.of(directory) instanceof WeightFiles.Sharded) {
                lost = firstMissing(
                        snapshot,
                        ShardIndex.read(snapshot.resolve(ShardIndex.FILE_NAME)).shards());
            }
            return lost;
        } catch (ModelException e) {
            return Optional.of(e.getMessage());
        }
    }

    private static Optional<String> firstMissing(Path snapshot, Collection<String> names) {
        return names.stream()
                .map(snapshot::resolve)
                .filter(file -> !Files.exists(file))
                .findFirst()
                .map(file -> "there is no " + file);
    }
}
