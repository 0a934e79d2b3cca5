package io.tutti.hub;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Lists the models of a cache. */
final class CachedModels {
    private static final String MODEL = "models--";

    private final Path root;

    CachedModels(Path root) {
        this.root = root;
    }

    /** All of them, by name; data sets and whatever else lies in the cache are left out. */
    List<CachedModel> list() {
        List<CachedModel> models = new ArrayList<>();
        for (String folder : names(root)) {
            if (folder.startsWith(MODEL) && Files.isDirectory(root.resolve(folder))) {
                CachedRepository repository = new CachedRepository(root, folder);
                models.addAll(list(repository, folder.substring(MODEL.length()).replaceFirst("--", "/")));
            }
        }
        return models;
    }

    private static List<CachedModel> list(CachedRepository repository, String name) {
        List<CachedModel> models = new ArrayList<>();
        Map<String, List<String>> refs = refs(repository);
        Map<Path, Long> blobs = sizes(repository.blobs());
        Set<Path> used = new HashSet<>();
        for (String commit : repository.commits()) {
            List<String> at = refs.getOrDefault(commit, List.of());
            Map<Path, Long> sizes = withBlobs(sizes(repository.snapshot(commit)), blobs);
            used.addAll(sizes.keySet());
            String revision = at.contains(ModelName.MAIN) || at.isEmpty() ? commit : at.getFirst();
            models.add(new CachedModel(
                    at.contains(ModelName.MAIN) ? name : name + "@" + revision,
                    Optional.of(commit),
                    at,
                    repository.snapshot(commit),
                    sizes));
        }
        blobs.keySet().removeAll(used);
        if (!blobs.isEmpty()) {
            models.add(new CachedModel(name, Optional.empty(), List.of(), repository.directory(), blobs));
        }
        return models;
    }

    private static Map<String, List<String>> refs(CachedRepository repository) {
        Map<String, List<String>> refs = new HashMap<>();
        for (String ref : repository.refNames()) {
            try {
                repository
                        .commit(ref)
                        .ifPresent(commit -> refs.computeIfAbsent(commit, _ -> new ArrayList<>())
                                .add(ref));
            } catch (HubException _) {
                // It names no commit, and so none of these.
            }
        }
        return refs;
    }

    /** The sizes of the files that {@code folder} holds or links to, each under its own path. */
    private static Map<Path, Long> sizes(Path folder) {
        Map<Path, Long> sizes = new HashMap<>();
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            return sizes;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                sizes.put(file.toRealPath(), Files.size(file));
            }
        } catch (IOException e) {
            throw HubException.io(folder, e);
        } catch (UncheckedIOException e) {
            throw HubException.io(folder, e.getCause());
        }
        return sizes;
    }

    /**
     * The files of a snapshot with the blobs that they stand for, where the cache has no symbolic links. A hard link is one file
     * with its blob, and goes by the blob's path; a copy takes its bytes twice. What is a copy is told by the length, because
     * comparing whole models would take minutes.
     */
    private static Map<Path, Long> withBlobs(Map<Path, Long> files, Map<Path, Long> blobs) {
        Map<Path, Long> all = new HashMap<>();
        files.forEach((file, size) -> {
            List<Path> alike = blobs.containsKey(file)
                    ? List.of()
                    : blobs.keySet().stream()
                            .filter(blob -> blobs.get(blob).equals(size))
                            .toList();
            Optional<Path> same =
                    alike.stream().filter(blob -> isSame(file, blob)).findFirst();
            all.put(same.orElse(file), size);
            if (same.isEmpty()) {
                alike.forEach(blob -> all.put(blob, size));
            }
        });
        return all;
    }

    private static boolean isSame(Path file, Path blob) {
        try {
            return Files.isSameFile(file, blob);
        } catch (IOException e) {
            throw HubException.io(file, e);
        }
    }

    private static List<String> names(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw HubException.io(folder, e);
        }
    }
}
