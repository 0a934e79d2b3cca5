package io.tutti.hub;

import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A model in the cache at one commit, or what is left of downloads that ended early.
 *
 * @param name the name by which commands find it, with {@code @revision} unless it is main's
 * @param commit its commit; empty for what is left of downloads
 * @param refs the branches and tags at that commit
 * @param directory its snapshot, or for what is left of downloads the repository's folder
 * @param sizes bytes of its files on the disk, by path; a file that several models share has the same path in each
 */
public record CachedModel(
        String name, Optional<String> commit, List<String> refs, Path directory, Map<Path, Long> sizes) {

    public CachedModel {
        refs = List.copyOf(refs);
        sizes = Map.copyOf(sizes);
    }

    /** Bytes that it takes on the disk. */
    public long bytes() {
        return sizes.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Bytes that all of {@code models} take on the disk, each file counted once. */
    public static long bytes(Collection<CachedModel> models) {
        Map<Path, Long> all = new HashMap<>();
        models.forEach(model -> all.putAll(model.sizes));
        return all.values().stream().mapToLong(Long::longValue).sum();
    }
}
