package io.tutti.hub;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A repository in the cache: {@code blobs/} holds each file's bytes under their hash, {@code snapshots/COMMIT/} links
 * from the files' names to those, and {@code refs/REVISION} says which commit a branch or tag was at.
 *
 * <p>Everything appears under its name whole or not at all, by an atomic move, and nothing is written through a
 * directory that is a symbolic link: such a one inside a repository would lead out of the cache.
 *
 * @param cache the cache's root, which may well lie behind a link
 * @param folder the repository's own directory in it
 */
record CachedRepository(Path cache, String folder) {
    private static final int LONGEST_REF = 100;

    Path directory() {
        return cache.resolve(folder);
    }

    Path blobs() {
        return directory().resolve("blobs");
    }

    Path blob(BlobId id) {
        return blobs().resolve(id.hex());
    }

    /**
     * Where a blob grows. huggingface_hub's own names are others: an older one would go on writing into a file of its
     * name after it has been moved.
     */
    Path incomplete(BlobId id) {
        return blobs().resolve(id.hex() + ".tutti.incomplete");
    }

    /** A place of this kind that no other process uses, for file systems without locks. */
    Path unshared(BlobId id) {
        return blobs().resolve(id.hex() + "." + UUID.randomUUID() + ".tutti.incomplete");
    }

    Path snapshots() {
        return directory().resolve("snapshots");
    }

    Path snapshot(String commit) {
        return snapshots().resolve(commit);
    }

    Path lock(BlobId id) {
        return locks().resolve(id.hex() + ".lock");
    }

    Path locks() {
        return cache.resolve(".locks").resolve(folder);
    }

    Path refs() {
        return directory().resolve("refs");
    }

    /**
     * The commit of a branch, tag or abbreviation that was looked up before, or of a whole hash; empty if not known.
     */
    Optional<String> commit(String revision) {
        Path ref = refs().resolve(revision);
        if (!Files.isRegularFile(ref)) {
            return Optional.of(revision).filter(ModelName::isCommit);
        }
        try (InputStream in = Files.newInputStream(ref)) {
            String commit = new String(in.readNBytes(LONGEST_REF), StandardCharsets.UTF_8).strip();
            if (!ModelName.isCommit(commit)) {
                throw new HubException(
                        ref + ": holds " + Text.quote(commit) + "; a commit's 40 hexadecimal digits are needed");
            }
            return Optional.of(commit);
        } catch (IOException e) {
            throw HubException.io(ref, e);
        }
    }

    /** The revisions that a user could name: refs, and commits that none of them is at. */
    List<String> revisions() {
        List<String> names = new ArrayList<>();
        List<String> commits = new ArrayList<>(commits());
        Set<String> named = new HashSet<>();
        for (String name : refNames()) {
            commit(name).filter(commits::contains).ifPresent(commit -> {
                names.add(name);
                named.add(commit);
            });
        }
        commits.removeAll(named);
        names.addAll(commits);
        return names;
    }

    /** Every branch, tag or abbreviation that was looked up before, whatever has become of it. */
    List<String> refNames() {
        try (Stream<Path> refs = Files.exists(refs()) ? Files.walk(refs()) : Stream.empty()) {
            return refs.filter(Files::isRegularFile)
                    .map(ref -> refs().relativize(ref).toString().replace('\\', '/'))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw HubException.io(refs(), e);
        } catch (UncheckedIOException e) {
            throw HubException.io(refs(), e.getCause());
        }
    }

    /** Every commit that there is something of. */
    List<String> commits() {
        Path snapshots = snapshots();
        try (Stream<Path> all = Files.exists(snapshots) ? Files.list(snapshots) : Stream.empty()) {
            return all.filter(Files::isDirectory)
                    .map(path -> path.getFileName().toString())
                    .filter(ModelName::isCommit)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw HubException.io(snapshots, e);
        }
    }

    /** Whether the blob is there with its length. That is enough, because a blob gets its name only once it is whole. */
    boolean has(RemoteFile file) {
        try {
            Path blob = blob(file.blob());
            return Files.isRegularFile(blob) && Files.size(blob) == file.size();
        } catch (IOException e) {
            throw HubException.io(blob(file.blob()), e);
        }
    }

    /** Makes {@code blobs} and the directory of the locks. */
    void prepare() {
        createDirectories(directory(), "blobs");
        createDirectories(cache, ".locks", folder);
    }

    /**
     * Makes {@code path} in the snapshot stand for a blob: a relative link, as huggingface_hub makes it; where the
     * system has no such links a hard link, and without those a copy.
     *
     * @param symbolic whether symbolic links are wanted
     */
    void link(String commit, String path, BlobId id, boolean symbolic) {
        int slash = path.lastIndexOf('/');
        Path parent = createDirectories(
                directory(),
                Stream.concat(
                                Stream.of("snapshots", commit),
                                slash < 0
                                        ? Stream.empty()
                                        : Stream.of(path.substring(0, slash).split("/", -1)))
                        .toArray(String[]::new));
        Path name = parent.resolve(path.substring(slash + 1));
        Path blob = blob(id);
        try {
            if (Files.exists(name) && holdsSame(name, blob)) {
                return;
            }
            appear(name, temporary -> {
                if (!symbolic || !symbolicLink(temporary, parent.relativize(blob))) {
                    hardLinkOrCopy(temporary, blob);
                }
            });
        } catch (IOException e) {
            throw HubException.io(name, e);
        }
    }

    /** Whether {@code file} of a snapshot leads to {@code blob}, is another name of it, or a copy. */
    static boolean holdsSame(Path file, Path blob) throws IOException {
        return Files.isSameFile(file, blob)
                || (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.mismatch(file, blob) < 0);
    }

    /** Notes that {@code revision} is at {@code commit}. */
    void writeRef(String revision, String commit) {
        if (revision.equals(commit) || commit(revision).filter(commit::equals).isPresent()) {
            return;
        }
        String[] pieces = ("refs/" + revision).split("/", -1);
        Path parent = createDirectories(
                directory(), List.of(pieces).subList(0, pieces.length - 1).toArray(String[]::new));
        Path ref = parent.resolve(pieces[pieces.length - 1]);
        try {
            appear(ref, temporary -> Files.writeString(temporary, commit));
        } catch (IOException e) {
            throw HubException.io(ref, e);
        }
    }

    private interface Maker {
        void make(Path temporary) throws IOException;
    }

    /** What a killed process leaves of this lies among the blobs, where no reader of a model looks. */
    private void appear(Path name, Maker maker) throws IOException {
        Path temporary = blobs().resolve(UUID.randomUUID() + ".tmp");
        try {
            maker.make(temporary);
            move(temporary, name);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Renames a file, in place of one of that name if there is one. */
    static void move(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException e) {
            throw new IOException("this file system does not rename at once", e);
        }
    }

    private static boolean symbolicLink(Path link, Path target) {
        try {
            Files.createSymbolicLink(link, target);
            return true;
        } catch (IOException | UnsupportedOperationException _) {
            return false;
        }
    }

    private static void hardLinkOrCopy(Path link, Path blob) throws IOException {
        try {
            // A shared blob may itself be a link, which a second name of it would not follow from elsewhere.
            Files.createLink(link, blob.toRealPath());
        } catch (IOException | UnsupportedOperationException _) {
            Files.copy(blob, link);
        }
    }

    /** The directory below {@code from}, made where it is missing, each of whose steps is a directory and no link. */
    private Path createDirectories(Path from, String... names) {
        Path path = cache;
        try {
            createCache();
            for (Path step : steps(from, names)) {
                path = step;
                try {
                    Files.createDirectory(step);
                } catch (FileAlreadyExistsException _) {
                    requireDirectory(step);
                }
            }
        } catch (IOException e) {
            throw HubException.io(path, e);
        }
        return path;
    }

    private void createCache() {
        try {
            Files.createDirectories(cache);
        } catch (IOException e) {
            throw new HubException(
                    HubException.io(cache, e).getMessage()
                            + "; the Hugging Face cache has to be a directory that can be"
                            + " written; accepted: HF_HUB_CACHE or HF_HOME naming one",
                    e);
        }
    }

    private List<Path> steps(Path from, String... names) {
        List<Path> steps = new ArrayList<>();
        if (!from.equals(cache)) {
            steps.add(from);
        }
        Path step = from;
        for (String name : names) {
            step = step.resolve(name);
            steps.add(step);
        }
        return steps;
    }

    static void requireDirectory(Path path) throws IOException {
        if (Files.isSymbolicLink(path)) {
            throw new HubException(
                    path + ": is a symbolic link; nothing is written through one inside the cache, only HF_HUB_CACHE"
                            + " itself may be one");
        }
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new NotDirectoryException(path.toString());
        }
    }
}
