package io.tutti.modelio.files;

import io.tutti.modelio.ModelException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Output that appears whole or not at all: it is written under a temporary name beside its target and moved there when
 * it is done. A failure, or the end of the process (Ctrl-C), leaves the target as it was and nothing beside it. A target
 * that is a symbolic link stays one: what it points to is written.
 */
public final class WholeOrNothing {
    private static final String UUID_PATTERN = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

    /** Writes the output at the temporary path. */
    @FunctionalInterface
    public interface Writer {
        void write(Path temporary) throws IOException;
    }

    private WholeOrNothing() {}

    /**
     * Writes a file; one that exists is replaced, and its permissions stay.
     *
     * @throws ModelException if writing fails, or for what {@link #requireFile} refuses
     * @throws CancellationException if the process is ending
     */
    public static void file(Path target, Writer writer) {
        requirePlainOrAbsent(target);
        Path real = real(target);
        write(target, real, temporary -> {
            writer.write(temporary);
            keepPermissions(real, temporary);
            Files.move(temporary, real, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        });
    }

    /**
     * Writes a directory, which is there and empty when {@code writer} is called.
     *
     * @throws ModelException if writing fails, or {@code target} exists and is not an empty directory
     * @throws CancellationException if the process is ending
     */
    public static void directory(Path target, Writer writer) {
        requireEmptyOrAbsent(target);
        Path real = real(target);
        write(target, real, temporary -> {
            Files.createDirectory(temporary);
            writer.write(temporary);
            // Not every system moves a directory onto an empty one.
            Files.deleteIfExists(real);
            Files.move(temporary, real, StandardCopyOption.ATOMIC_MOVE);
        });
    }

    /**
     * Refuses, before any work is done, a file that could not be written in the end.
     *
     * @throws ModelException if {@code target} is something other than a plain file, or its directory is not there or
     *     takes no files
     */
    public static void requireFile(Path target) {
        requirePlainOrAbsent(target);
        requireParent(target);
    }

    /**
     * Refuses, before any work is done, a directory that could not be written in the end. None, or an empty one, is fine.
     *
     * @throws ModelException if {@code target} is a file or not empty, or the directory around it is not there or takes no
     *     files
     */
    public static void requireEmpty(Path target) {
        requireEmptyOrAbsent(target);
        requireParent(target);
    }

    /**
     * Temporary outputs beside {@code target}, sorted: of a process that was killed, or of one that still writes. Which of
     * the two cannot be told from here, so nothing deletes them.
     */
    public static List<Path> leftovers(Path target) {
        Path real = real(target);
        Pattern temporary = Pattern.compile(Pattern.quote("." + real.getFileName() + ".") + UUID_PATTERN + "\\.tmp");
        try (Stream<Path> beside = Files.list(parent(target, real))) {
            return beside.filter(path ->
                            temporary.matcher(path.getFileName().toString()).matches())
                    .sorted()
                    .toList();
        } catch (IOException _) {
            return List.of();
        }
    }

    private static void requirePlainOrAbsent(Path target) {
        if (Files.isDirectory(target)) {
            throw ModelException.of(target, "is a directory; a file name is needed");
        }
        if (Files.exists(target)) {
            PlainFile.require(target);
        } else if (Files.isSymbolicLink(target)) {
            throw ModelException.of(target, "is a link to a file that is not there; a file name is needed");
        }
    }

    private static void requireEmptyOrAbsent(Path target) {
        if (!Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (!Files.isDirectory(target)) {
            throw ModelException.of(target, "is a file; a new or empty directory is needed");
        }
        try (Stream<Path> contents = Files.list(target)) {
            if (contents.findAny().isPresent()) {
                throw ModelException.of(target, "is not empty; a new or empty directory is needed");
            }
        } catch (IOException e) {
            throw ModelException.io(target, e);
        }
    }

    /** Writes and deletes a file: permissions alone do not tell whether a directory takes any, as /proc shows. */
    private static void requireParent(Path target) {
        Path real = real(target);
        Path parent = parent(target, real);
        try {
            Files.delete(Files.createFile(temporary(real, parent)));
        } catch (IOException e) {
            throw ModelException.unwritable(target, parent, e);
        }
    }

    private static void write(Path target, Path real, Writer writer) {
        Path temporary = temporary(real, parent(target, real));
        Thread atExit = new Thread(() -> deleteTree(temporary), "delete " + temporary);
        try {
            Runtime.getRuntime().addShutdownHook(atExit);
        } catch (IllegalStateException e) {
            throw (CancellationException) new CancellationException("the process is ending").initCause(e);
        }
        try {
            writer.write(temporary);
        } catch (IOException e) {
            throw ModelException.io(target, e);
        } finally {
            deleteTree(temporary);
            forget(atExit);
        }
    }

    /** What {@code target} names, through links. */
    private static Path real(Path target) {
        try {
            if (Files.exists(target)) {
                return target.toRealPath();
            }
            Path absolute = target.toAbsolutePath();
            Path parent = absolute.getParent();
            return parent != null && Files.exists(parent)
                    ? parent.toRealPath().resolve(absolute.getFileName())
                    : absolute;
        } catch (IOException e) {
            throw ModelException.io(target, e);
        }
    }

    /** The directory around {@code real}, which exists. */
    private static Path parent(Path target, Path real) {
        if (real.getParent() == null) {
            throw ModelException.of(target, "is the root directory; another name is needed");
        }
        Path parent = real.getParent();
        if (!Files.isDirectory(parent)) {
            throw ModelException.of(
                    target, "cannot be written: there is no directory " + parent + "; one that exists is needed");
        }
        return parent;
    }

    private static Path temporary(Path real, Path parent) {
        return parent.resolve("." + real.getFileName() + "." + UUID.randomUUID() + ".tmp");
    }

    private static void keepPermissions(Path from, Path to) {
        try {
            if (Files.exists(from)) {
                Files.setPosixFilePermissions(to, Files.getPosixFilePermissions(from));
            }
        } catch (IOException | UnsupportedOperationException _) {
            // This system has others, which the directory decides.
        }
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) {
            // The process is ending, and the hook does its work.
        }
    }

    /** As much as can be deleted: this runs after a failure, whose own error is the one to tell. */
    private static void deleteTree(Path root) {
        if (!Files.exists(root)) {
            return;
        }
        try (Stream<Path> tree = Files.walk(root)) {
            List<Path> leavesFirst = tree.sorted(Comparator.reverseOrder()).toList();
            for (Path path : leavesFirst) {
                Files.deleteIfExists(path);
            }
        } catch (IOException _) {
            // What is left bears a temporary name.
        }
    }
}
