package io.tutti.hub;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.ConfigFile;
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

    /** The models that the cache has something of, sorted by name. */
    public List<CachedModel> models() {
        return new CachedModels(root).list();
    }

    /** The place of {@code model}'s repository, which need not exist. */
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
        if (known.isEmpty()) {
            instead = inAnotherCase(model)
                    .map(other -> "; " + other + " is, whose name differs in case")
                    .orElse("");
        }
        // A name stands where a directory might: what is there in no revision may be a path that was mistyped.
        String what = known.isEmpty()
                ? "there is no directory " + model + ", nor is it"
                : model.repository() + " at revision " + model.revision() + " is not";
        return new HubException(
                what + " in the Hugging Face cache " + root + instead + "; `tutti pull " + model + "` downloads it");
    }

    /** Most file systems tell small letters from capitals, and the hub does not. */
    private Optional<String> inAnotherCase(ModelName model) {
        return models().stream()
                .map(found -> found.name().replaceFirst("@.*", ""))
                .filter(model.repository()::equalsIgnoreCase)
                .findFirst();
    }

    /** An interrupted download leaves a snapshot without some of its files, or links to what never came. */
    private static void requireWhole(ModelName model, Path snapshot) {
        lost(snapshot).ifPresent(problem -> {
            throw new HubException("only part of " + model + " is in the Hugging Face cache: " + problem
                    + "; `tutti pull " + model + "` downloads the rest");
        });
    }

    /** What a snapshot lacks of a whole model, in words; empty if it is whole. */
    public static Optional<String> lost(Path snapshot) {
        try {
            ModelDirectory directory = ModelDirectory.open(snapshot);
            directory.require(ConfigFile.NAME);
            Optional<String> unread = firstMissing(
                    snapshot,
                    directory.fileNames().stream()
                            .filter(ModelDirectory.READ::contains)
                            .toList());
            if (unread.isPresent()) {
                return unread;
            }
            return switch (WeightFiles.of(directory)) {
                case WeightFiles.Single(String name) -> firstMissing(snapshot, List.of(name));
                case WeightFiles.Sharded _ ->
                    firstMissing(snapshot, List.of(ShardIndex.FILE_NAME))
                            .or(() -> firstMissing(
                                    snapshot,
                                    ShardIndex.read(snapshot.resolve(ShardIndex.FILE_NAME))
                                            .shards()));
            };
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
