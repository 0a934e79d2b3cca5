package io.tutti.cli.keep;

import io.tutti.cli.console.RefusedException;
import io.tutti.modelio.files.UserFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * Where the processes that keep a model, and those that use it, meet: a folder that belongs to the user alone. Each model has a socket
 * there, a lock that its process holds for as long as it lives, and a log.
 */
public final class KeptFolder {

    private static final String NAME = "kept";
    private static final String SOCKET = ".sock";
    private static final Set<PosixFilePermission> OWNERS_ALONE = PosixFilePermissions.fromString("rwx------");

    private final Path folder;

    KeptFolder(Path folder) {
        this.folder = folder;
    }

    /** The folder in the user's state folder; empty if there is none, or if files have no owners on this system. */
    public static Optional<KeptFolder> ofUser() {
        return hasOwners()
                ? UserFolder.STATE.path().map(state -> new KeptFolder(state.resolve(NAME)))
                : Optional.empty();
    }

    /**
     * The same, where it has to be there.
     *
     * @throws RefusedException if there is none, saying why
     */
    public static KeptFolder required() {
        return ofUser().orElseThrow(() -> new RefusedException(
                hasOwners()
                        ? UserFolder.STATE.nowhere()
                        : "keep needs Unix domain sockets and files with owners, which this system does not have;"
                                + " accepted: Linux or macOS"));
    }

    private static boolean hasOwners() {
        return FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    }

    Path socket(Path model) throws IOException {
        return file(model, SOCKET);
    }

    Path lock(Path model) throws IOException {
        return file(model, ".lock");
    }

    /** The file that takes what the process of {@code model} prints. */
    public Path log(Path model) throws IOException {
        return file(model, ".log");
    }

    /**
     * A file named by a checksum of the model's path, because a socket's path is limited to some hundred bytes. Runs that use the
     * model compare the whole path.
     */
    private Path file(Path model, String ending) throws IOException {
        CRC32C checksum = new CRC32C();
        checksum.update(model.toRealPath().toString().getBytes(StandardCharsets.UTF_8));
        return folder.resolve("%08x".formatted(checksum.getValue()) + ending);
    }

    /** The sockets of all models. */
    List<Path> sockets() {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(SOCKET))
                    .sorted()
                    .toList();
        } catch (IOException _) {
            return List.of();
        }
    }

    /**
     * Makes the folder, if it is not there.
     *
     * @throws RefusedException if that fails, or if others can get at it
     */
    public void make() {
        try {
            Files.createDirectories(folder.getParent());
            if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNERS_ALONE));
            }
            if (!isOursAlone()) {
                throw new RefusedException(
                        folder + ": others can get at it; accepted: a folder of yours with mode 0700");
            }
        } catch (IOException e) {
            throw new RefusedException(folder + ": cannot be made: " + e + "; XDG_STATE_HOME names another place", e);
        }
    }

    /**
     * Whether the folder belongs to this process's user and nobody else can get in, so that no other user can have put a
     * socket there.
     */
    boolean isOursAlone() {
        try {
            PosixFileAttributes is = Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return is.isDirectory()
                    && OWNERS_ALONE.containsAll(is.permissions())
                    && is.owner().equals(owner());
        } catch (IOException _) {
            return false;
        }
    }

    /** The user of this process, whom Java knows by name only, if at all: the owner of a file that it makes. */
    private UserPrincipal owner() throws IOException {
        Path file = folder.resolve("owner." + ProcessHandle.current().pid());
        Files.deleteIfExists(file);
        Files.createFile(file);
        try {
            return Files.getOwner(file, LinkOption.NOFOLLOW_LINKS);
        } finally {
            Files.deleteIfExists(file);
        }
    }
}
