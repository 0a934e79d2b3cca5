package io.tutti.modelio.files;

import io.tutti.modelio.ModelException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Output that appears whole or not at all: it is written under a temporary name beside its target and moved there when
 * it is done. A failure, or the end of the process (Ctrl-C), leaves the target as it was and nothing beside it.
 */
public final class WholeOrNothing {
    /** Writes the output at the temporary path. */
    @FunctionalInterface
    public interface Writer {
        void write(Path temporary) throws IOException;
    }

    private WholeOrNothing() {}

    /**
     * Writes a file; one that exists is replaced.
     *
     * @throws ModelException if writing fails or {@code target} is a directory
     */
    public static void file(Path target, Writer writer) {
        if (Files.isDirectory(target)) {
            throw ModelException.of(target, "is a directory; a file name is needed");
        }
        write(target, temporary -> {
            writer.write(temporary);
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        });
    }

    /**
     * Writes a directory, which is there and empty when {@code writer} is called.
     *
     * @throws ModelException if writing fails, or {@code target} exists and is not an empty directory
     */
    public static void directory(Path target, Writer writer) {
        requireEmpty(target);
        write(target, temporary -> {
            Files.createDirectory(temporary);
            writer.write(temporary);
            // Not every system moves a directory onto an empty one.
            Files.deleteIfExists(target);
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
        });
    }

    /**
     * Refuses a directory that has something in it; none, or an empty one, is fine.
     *
     * @throws ModelException if {@code target} is a file or not empty
     */
    public static void requireEmpty(Path target) {
        if (!Files.exists(target)) {
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

    private static void write(Path target, Writer writer) {
        Path absolute = target.toAbsolutePath();
        Path parent = absolute.getParent();
        if (parent == null) {
            throw ModelException.of(target, "is the root directory; another name is needed");
        }
        Path temporary = parent.resolve("." + absolute.getFileName() + "." + UUID.randomUUID() + ".tmp");
        Thread atExit = new Thread(() -> deleteTree(temporary), "delete " + temporary);
        Runtime.getRuntime().addShutdownHook(atExit);
        try {
            Files.createDirectories(parent);
            writer.write(temporary);
        } catch (IOException e) {
            throw ModelException.io(target, e);
        } finally {
            deleteTree(temporary);
            forget(atExit);
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
