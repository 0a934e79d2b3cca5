package io.tutti.hub;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.ConfigFile;
import io.tutti.modelio.config.ModelDirectory;
import io.tutti.modelio.safetensors.ShardIndex;
import io.tutti.modelio.safetensors.WeightFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which of a repository's files a model needs: the config and the tokenizer with what belongs to them, chat templates, and
 * the safetensors weights that would be read. The same weights in other formats stay where they are.
 */
final class NeededFiles {
    /** The file without which nothing is a model. */
    static final String FIRST = ConfigFile.NAME;

    private static final String WEIGHTS = ".safetensors";
    private static final Pattern SHARD = Pattern.compile("[^/]*-of-\\d+\\.safetensors");
    private static final Pattern TEMPLATE = Pattern.compile("additional_chat_templates/[^/]+\\.jinja");
    /** What is read as a whole: more than any tokenizer. */
    private static final long LARGEST_COMPANION = 500_000_000;

    private final RemoteList list;
    private final ModelDirectory directory;
    private final WeightFiles weights;

    /** Whether a model may need the file of this path, going by its name. */
    static boolean mayBeNeeded(String path) {
        return ModelDirectory.COMPANIONS.contains(path)
                || path.equals(ShardIndex.FILE_NAME)
                || (path.indexOf('/') < 0 && path.endsWith(WEIGHTS))
                || TEMPLATE.matcher(path).matches();
    }

    /** Whether the file of this path is one of several that an index names. */
    static boolean isShard(String path) {
        return SHARD.matcher(path).matches();
    }

    /**
     * Looks through a list.
     *
     * @throws HubException if it is hostile, or the repository holds no config
     * @throws ModelException if it holds no safetensors weights, telling what it holds instead
     */
    NeededFiles(RemoteList list) {
        RemotePaths.requireHonest(list.repository(), list.paths());
        this.list = list;
        directory = new ModelDirectory(
                Path.of(list.repository()),
                list.paths().stream()
                        .filter(path -> path.indexOf('/') < 0)
                        .sorted()
                        .toList());
        weights = WeightFiles.of(directory);
        directory.require(FIRST);
    }

    /** The index that says what the shards are called, if there is one; it is needed before {@link #all}. */
    Optional<RemoteFile> index() {
        return switch (weights) {
            case WeightFiles.Single _ -> Optional.empty();
            case WeightFiles.Sharded _ -> Optional.of(companion(ShardIndex.FILE_NAME));
        };
    }

    /**
     * Every file that is needed, in the order in which a reader may see them: the config, without which nothing is taken
     * for a model, is the last.
     *
     * @param downloadedIndex where {@link #index} lies, if there is one
     */
    List<RemoteFile> all(Optional<Path> downloadedIndex) {
        Map<String, RemoteFile> files = new LinkedHashMap<>();
        for (String name : weightFiles(downloadedIndex)) {
            files.put(name, list.file(name));
        }
        index().ifPresent(file -> files.put(file.path(), file));
        list.paths().stream().filter(TEMPLATE.asMatchPredicate()).forEach(path -> files.put(path, companion(path)));
        List<String> companions = ModelDirectory.COMPANIONS;
        for (String name : companions.reversed()) {
            if (directory.has(name)) {
                files.put(name, companion(name));
            }
        }
        RemotePaths.requirePortable(list.repository(), files.keySet());
        return new ArrayList<>(files.values());
    }

    private List<String> weightFiles(Optional<Path> downloadedIndex) {
        return switch (weights) {
            case WeightFiles.Single(String name) -> List.of(name);
            case WeightFiles.Sharded _ -> {
                List<String> shards = List.copyOf(
                        ShardIndex.read(downloadedIndex.orElseThrow()).shards());
                for (String shard : shards) {
                    if (!directory.has(shard)) {
                        throw ModelException.of(
                                directory.path(),
                                ShardIndex.FILE_NAME + " names the shard " + Text.quote(shard)
                                        + ", which the repository does not hold");
                    }
                }
                yield shards;
            }
        };
    }

    private RemoteFile companion(String path) {
        RemoteFile file = list.file(path);
        if (file.size() > LARGEST_COMPANION) {
            throw new HubException(list.repository() + ": " + path + " has " + Text.bytes(file.size())
                    + "; accepted: at most " + Text.bytes(LARGEST_COMPANION));
        }
        return file;
    }
}
