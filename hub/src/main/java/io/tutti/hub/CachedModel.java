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
 * @param name by which commands find it; its last part is the revision, if it is not main's
 * @param commit that it is at; empty for what is left of downloads
 * @param refs names of that commit
 * @param directory its snapshot, or the repository's folder
 * @param sizes of its files on the disk; what several share is the same file in each
 */
public record CachedModel(
        String name, Optional<String> commit, List<String> refs, Path directory, Map<Path, Long> sizes) {

    public CachedModel {
        refs = List.copyOf(refs);
        sizes = Map.copyOf(sizes);
    }

    /** What it takes on the disk. */
    public long bytes() {
        return sizes.values().stream().mapToLong(Long::longValue).sum();
    }

    /** What all of {@code models} take, each file counted once. */
    public static long bytes(Collection<CachedModel> models) {
        Map<Path, Long> all = new HashMap<>();
        models.forEach(model -> all.putAll(model.sizes));
        return all.values().stream().mapToLong(Long::longValue).sum();
    }
}
