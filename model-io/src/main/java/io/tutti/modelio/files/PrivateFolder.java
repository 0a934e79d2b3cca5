package io.tutti.modelio.files;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * This user's own folder inside one where everybody may write, the same in every run. If somebody else has made it, it is not
 * used: a planted library could be waiting in it to be loaded.
 */
final class PrivateFolder {
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> OTHERS_WRITE =
            EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    private final Path around;
    private boolean tried;
    private Path path;
    private String problem = "";

    /** @param around where everybody may write */
    PrivateFolder(Path around) {
        this.around = around;
    }

    /** The folder, made at the first call; empty if {@link #problem} says why there is none. */
    synchronized Optional<Path> path() {
        if (!tried) {
            tried = true;
            try {
                path = make();
            } catch (IOException | UnsupportedOperationException _) {
                problem = around + " cannot be written either";
            }
        }
        return Optional.ofNullable(path);
    }

    synchronized String problem() {
        return path().isPresent() ? "" : problem;
    }

    private Path make() throws IOException {
        int user = user();
        Path folder = around.resolve("tutti-" + Integer.toUnsignedString(user));
        try {
            return Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        } catch (FileAlreadyExistsException _) {
            // An earlier run made it, or somebody else; that is checked below.
        }
        PosixFileAttributes found = Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        boolean own = found.isDirectory()
                && (int) Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS) == user
                && found.permissions().stream().noneMatch(OTHERS_WRITE::contains);
        if (!own) {
            problem = folder + " belongs to another user, or others may write in it";
            return null;
        }
        return folder;
    }

    /** The number of this process's user, who may have no name. */
    private int user() throws IOException {
        Path own = Files.createTempFile(around, "tutti", null);
        try {
            return (int) Files.getAttribute(own, "unix:uid");
        } finally {
            Files.delete(own);
        }
    }
}
