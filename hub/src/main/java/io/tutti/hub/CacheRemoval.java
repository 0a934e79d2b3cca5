package io.tutti.hub;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Takes a model out of the cache: its whole folder, or one commit with the files that no other one uses. A link is removed and
 * never followed, so that nothing outside the cache is touched. Names go before the files that they lead to, so that an end at
 * any moment leaves nothing that could be taken for a whole model.
 */
public final class CacheRemoval {
    private final CachedRepository repository;
    private final SharedBlobs shared;
    /** In the order in which they go; a folder after what is in it. */
    private final Set<Path> paths = new LinkedHashSet<>();

    private final List<Path> blobs = new ArrayList<>();
    private final Set<Path> staying = new HashSet<>();
    private long bytes;

    private CacheRemoval(CachedRepository repository) {
        this.repository = repository;
        shared = new SharedBlobs(repository.cache());
    }

    /**
     * Finds what there is to remove: one revision if {@code name} gives it, else the whole model. Nothing is removed yet.
     *
     * @throws HubException if it is not in the cache
     */
    public static CacheRemoval of(HubCache cache, PastedName name) {
        CachedRepository repository = cache.repository(name.model());
        if (!Files.exists(repository.directory(), LinkOption.NOFOLLOW_LINKS)) {
            throw new HubException(name.model().repository() + ": is not in the Hugging Face cache " + cache.root()
                    + "; accepted: what `tutti list` shows");
        }
        CacheRemoval removal = new CacheRemoval(repository);
        try {
            if (name.revisionGiven()) {
                removal.addRevision(name.model());
            } else {
                removal.addAll();
            }
            removal.measure();
            return removal;
        } catch (IOException e) {
            throw HubException.io(repository.directory(), e);
        }
    }

    /** How many bytes of the disk the removal frees. */
    public long bytes() {
        return bytes;
    }

    /** How many files and links go. */
    public int files() {
        return (int) paths.stream()
                .filter(path -> !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
                .count();
    }

    /**
     * Removes what was found.
     *
     * @throws HubException if a download is writing into it, or a file cannot be removed
     */
    public void run() {
        requireNoDownload();
        List<Path> unused = unusedShared();
        for (Path path : paths) {
            try {
                Files.deleteIfExists(path);
            } catch (IOException e) {
                throw HubException.io(path, e);
            }
        }
        for (Path file : unused) {
            try {
                SharedBlobs.remove(file);
            } catch (IOException e) {
                throw HubException.io(file, e);
            }
        }
        removeEmpty(repository.refs());
        removeEmpty(repository.locks());
    }

    private void addAll() throws IOException {
        Path folder = repository.directory();
        if (!Files.isSymbolicLink(folder)) {
            addTree(repository.refs());
            addTree(repository.snapshots());
            if (Files.isDirectory(repository.blobs(), LinkOption.NOFOLLOW_LINKS)) {
                blobs.addAll(list(repository.blobs()));
            }
        }
        addTree(folder);
        addTree(repository.locks());
    }

    private void addRevision(ModelName model) throws IOException {
        String commit = repository
                .commit(model.revision())
                .filter(known -> repository.commits().contains(known))
                .orElseThrow(() -> new HubException(model.repository() + ": has no revision " + model.revision()
                        + " in the cache; accepted: " + String.join(", ", repository.revisions())));
        List<String> others = new ArrayList<>(repository.commits());
        others.remove(commit);
        if (others.isEmpty()) {
            addAll();
            return;
        }
        Path folder = repository.directory();
        CachedRepository.requireDirectory(folder);
        CachedRepository.requireDirectory(repository.blobs());
        CachedRepository.requireDirectory(repository.snapshots());
        for (String other : others) {
            staying.addAll(blobsOf(repository.snapshot(other)));
        }
        for (String ref : repository.refNames()) {
            if (repository.commit(ref).filter(commit::equals).isPresent()) {
                paths.add(repository.refs().resolve(ref));
            }
        }
        Set<Path> own = blobsOf(repository.snapshot(commit));
        own.removeAll(staying);
        blobs.addAll(own);
        addTree(repository.snapshot(commit));
        addTree(folder.resolve(".no_exist").resolve(commit));
        addTree(folder.resolve("trees").resolve(commit + ".json"));
        for (Path blob : own) {
            addTree(blob);
            addTree(repository.locks().resolve(blob.getFileName() + ".lock"));
        }
    }

    /**
     * The blobs of this repository that a snapshot's files stand for: where a link leads first, wherever that leads; and for a file
     * of its own each blob that is the same file, or that it is a copy of.
     */
    private Set<Path> blobsOf(Path snapshot) throws IOException {
        Path folder = repository.blobs().normalize();
        List<Path> all = list(folder).stream().filter(Files::isRegularFile).toList();
        Set<Path> found = new HashSet<>();
        try (Stream<Path> files = Files.walk(snapshot)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                if (Files.isSymbolicLink(file)) {
                    Path blob =
                            file.resolveSibling(Files.readSymbolicLink(file)).normalize();
                    if (folder.equals(blob.getParent())) {
                        found.add(blob);
                    }
                } else if (Files.isRegularFile(file)) {
                    for (Path blob : all) {
                        if (CachedRepository.holdsSame(file, blob)) {
                            found.add(blob);
                        }
                    }
                }
            }
        }
        return found;
    }

    private void addTree(Path root) throws IOException {
        if (!Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                paths.add(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                paths.add(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Adds up the bytes of the files that go. A file with two names counts once, and not at all if a blob that stays is one. */
    private void measure() throws IOException {
        Set<Object> keys = new HashSet<>();
        for (Path blob : staying) {
            if (Files.exists(blob, LinkOption.NOFOLLOW_LINKS)) {
                keys.add(key(blob, attributes(blob)));
            }
        }
        for (Path path : Stream.concat(paths.stream(), unusedShared().stream()).toList()) {
            BasicFileAttributes attributes = attributes(path);
            if (attributes.isRegularFile() && keys.add(key(path, attributes))) {
                bytes += attributes.size();
            }
        }
    }

    private static BasicFileAttributes attributes(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    /** What two names of one file have in common. */
    private static Object key(Path path, BasicFileAttributes attributes) {
        return attributes.fileKey() == null ? path : attributes.fileKey();
    }

    private List<Path> unusedShared() {
        return blobs.stream()
                .flatMap(blob -> shared.of(blob).stream())
                .distinct()
                .filter(file -> shared.isUnused(file, blobs))
                .toList();
    }

    private void requireNoDownload() {
        for (Path path : paths) {
            if (path.startsWith(repository.locks()) && path.toString().endsWith(".lock")) {
                try (FileChannel lock = FileChannel.open(path, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
                    if (!Disk.SYSTEM.lock(lock)) {
                        throw new HubException(
                                repository.directory() + ": is being downloaded; remove it again when that has ended");
                    }
                } catch (IOException _) {
                    // This file system has no locks, or this is none.
                }
            }
        }
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(Path::normalize).toList();
        }
    }

    /** Removes {@code folder} and the folders in it, as far as they are empty. */
    private static void removeEmpty(Path folder) {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (Stream<Path> entries = Files.list(folder)) {
            entries.toList().forEach(CacheRemoval::removeEmpty);
            Files.deleteIfExists(folder);
        } catch (IOException _) {
            // Something is in it.
        }
    }
}
