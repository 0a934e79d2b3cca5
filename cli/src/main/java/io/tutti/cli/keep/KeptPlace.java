package io.tutti.cli.keep;

import io.tutti.cli.console.RefusedException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * A model's place in the folder, which one process has at a time: it holds the model's lock. The operating system gives that back
 * however the process ends, so that a socket without a lock is a dead one's.
 */
public final class KeptPlace implements AutoCloseable {

    private final Path socket;
    private final FileChannel lockFile;

    private KeptPlace(Path socket, FileChannel lockFile) {
        this.socket = socket;
        this.lockFile = lockFile;
    }

    /**
     * Takes the place of {@code model}; empty if another process has it.
     *
     * @throws RefusedException if the folder cannot be made or locked, or if others can get at it
     */
    public static Optional<KeptPlace> take(KeptFolder folder, Path model) {
        folder.make();
        try {
            Path socket = folder.socket(model);
            FileChannel file =
                    FileChannel.open(folder.lock(model), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            try {
                FileLock lock = file.tryLock();
                if (lock != null) {
                    Files.deleteIfExists(socket);
                    return Optional.of(new KeptPlace(socket, file));
                }
            } catch (OverlappingFileLockException _) {
                // Another thread of this process has it.
            }
            file.close();
            return Optional.empty();
        } catch (IOException e) {
            throw refusal(e);
        }
    }

    private static RefusedException refusal(IOException e) {
        return new RefusedException(
                "the model cannot be kept: " + e + "; XDG_STATE_HOME names another place for the socket and the lock",
                e);
    }

    /**
     * Opens the socket, so that others find the model.
     *
     * @throws RefusedException if that fails, as where the path is too long
     */
    ServerSocketChannel open() {
        try {
            ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                server.bind(UnixDomainSocketAddress.of(socket));
                return server;
            } catch (IOException e) {
                server.close();
                throw e;
            }
        } catch (IOException e) {
            throw refusal(e);
        }
    }

    /** Removes the socket, so that nobody finds the model any more. */
    void remove() {
        try {
            Files.deleteIfExists(socket);
        } catch (IOException _) {
            // The next process that takes the place deletes it.
        }
    }

    @Override
    public void close() {
        remove();
        try {
            lockFile.close();
        } catch (IOException _) {
            // The process's end gives the lock back.
        }
    }
}
