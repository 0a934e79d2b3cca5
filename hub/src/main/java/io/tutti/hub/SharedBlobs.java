package io.tutti.hub;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The files that several repositories of a cache share, as huggingface_hub lays them out: {@code blobs/ab/abc…} at the cache's
 * root. Repositories' own blobs are links to it, and beside it {@code abc….refs} has a line for each of those links. A line may
 * be out of date, so a file counts as unused only if it has such a list and none of the links in it is still there.
 *
 * <p>huggingface_hub locks each of them with {@code flock}, which Java cannot: a download of the very same file by it, in the
 * moment in which the last other user of that file is removed, has to be done again.
 */
record SharedBlobs(Path cache) {
    private static final String MARKER = ".huggingface-shared-blobs";
    private static final String VERSION = "1";
    private static final Pattern NAME = Pattern.compile("[0-9a-f]{64}");

    private Path store() {
        return cache.resolve("blobs");
    }

    /** The shared file to which {@code blob} of a repository is a link; empty if it is none. */
    Optional<Path> of(Path blob) {
        try {
            if (!Files.isSymbolicLink(blob) || !isStore()) {
                return Optional.empty();
            }
            Path target = blob.resolveSibling(Files.readSymbolicLink(blob)).normalize();
            String name = target.getFileName().toString();
            boolean inStore = target.equals(store().resolve(name.substring(0, Math.min(2, name.length())))
                    .resolve(name)
                    .normalize());
            return Optional.of(target)
                    .filter(file -> inStore
                            && NAME.matcher(name).matches()
                            && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS));
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    private boolean isStore() throws IOException {
        Path marker = store().resolve(MARKER);
        return Files.isDirectory(store(), LinkOption.NOFOLLOW_LINKS)
                && Files.isRegularFile(marker, LinkOption.NOFOLLOW_LINKS)
                && Files.readString(marker).strip().equals(VERSION);
    }

    /** Whether nothing but {@code leaving}, blobs of repositories, leads to {@code shared}. */
    boolean isUnused(Path shared, List<Path> leaving) {
        Path list = list(shared);
        try {
            return Files.isRegularFile(list, LinkOption.NOFOLLOW_LINKS)
                    && Files.readAllLines(list).stream()
                            .map(line -> cache.resolve(line).normalize())
                            .filter(blob -> blob.startsWith(cache) && !leaving.contains(blob))
                            .noneMatch(blob -> of(blob).filter(shared::equals).isPresent());
        } catch (IOException | RuntimeException _) {
            return false;
        }
    }

    /** Removes a file that is unused, with its list. */
    static void remove(Path shared) throws IOException {
        Files.deleteIfExists(shared);
        Files.deleteIfExists(list(shared));
    }

    private static Path list(Path shared) {
        return shared.resolveSibling(shared.getFileName() + ".refs");
    }
}
