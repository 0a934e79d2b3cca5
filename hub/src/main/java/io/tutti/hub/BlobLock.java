package io.tutti.hub;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The right to download one blob, so that whoever else wants it waits and finds it there. It ends with the process, however
 * that ends, and its file stays.
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
    private final FileChannel channel;

    private BlobLock(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /** Waits for the lock in {@code file}, whose directory exists. */
    static BlobLock acquire(Path file) throws InterruptedException {
        Path key = file.toAbsolutePath().normalize();
        while (!HELD.add(key)) {
            Thread.sleep(INTERVAL);
        }
        FileChannel channel = null;
        boolean locked = false;
        try {
            channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            while (channel.tryLock() == null) {
                Thread.sleep(INTERVAL);
            }
            locked = true;
            return new BlobLock(key, channel);
        } catch (IOException e) {
            throw new HubException(HubException.io(file, e).getMessage() + "; a file system with locks is needed", e);
        } finally {
            if (!locked) {
                release(key, channel);
            }
        }
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
