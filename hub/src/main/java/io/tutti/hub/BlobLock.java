package io.tutti.hub;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The right to download one blob: others that want it wait, and then find it there. It ends with the process, however that
 * ends; its file stays.
 *
 * <p>The file is huggingface_hub's, the lock is not: Java locks with {@code fcntl}, Python's filelock with {@code flock},
 * and on a local file system of Linux neither sees the other. With huggingface_hub at work on the same blob both download
 * it, each into a file of its own, and the second to finish replaces the first's bytes by the same ones.
 */
final class BlobLock implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofMillis(50);
    /** The system's locks are the process's: between its threads, and before a second channel is opened, this decides. */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path file;
    private final FileChannel channel; // null: it could not be opened
    private final Optional<String> problem;

    private BlobLock(Path file, FileChannel channel, Optional<String> problem) {
        this.file = file;
        this.channel = channel;
        this.problem = problem;
    }

    /**
     * Waits for the lock in {@code file}, whose directory exists. On a file system without locks, such as NFS without its
     * daemon, it holds off only this process's other threads, and {@link #problem} says why.
     */
    static BlobLock acquire(Path file, Disk disk) throws InterruptedException {
        Path key = file.toAbsolutePath().normalize();
        while (!HELD.add(key)) {
            Thread.sleep(INTERVAL);
        }
        FileChannel channel = null;
        boolean done = false;
        try {
            channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            while (!disk.lock(channel)) {
                Thread.sleep(INTERVAL);
            }
            done = true;
            return new BlobLock(key, channel, Optional.empty());
        } catch (ClosedByInterruptException e) {
            throw Interruption.cancelled(e);
        } catch (IOException e) {
            done = true;
            return new BlobLock(
                    key, channel, Optional.of(HubException.io(file, e).getMessage()));
        } finally {
            if (!done) {
                release(key, channel);
            }
        }
    }

    /** Why other processes are not held off; empty if they are. */
    Optional<String> problem() {
        return problem;
    }

    @Override
    public void close() {
        release(file, channel);
    }

    /** The lock goes with its channel, and only then may another thread open one. */
    private static void release(Path file, FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException _) {
            // It is closed all the same.
        } finally {
            HELD.remove(file);
        }
    }
}
