package io.tutti.hub;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;

/**
 * A blob that is on its way: a file that only grows, and its digest so far. It outlives the process, so that the next
 * one goes on where this one ended. Whoever opens it holds the blob's {@link BlobLock}.
 *
 * <p>Errors of the disk are {@link HubException}s, so that the {@link IOException}s of a download are all the
 * network's.
 */
final class IncompleteBlob implements AutoCloseable {
    private static final int BUFFER = 1 << 20;

    private final RemoteFile file;
    private final Path path;
    private final Disk disk;
    private final FileChannel channel;
    private MessageDigest digest;
    private long size;

    private IncompleteBlob(RemoteFile file, Path path, Disk disk, FileChannel channel) {
        this.file = file;
        this.path = path;
        this.disk = disk;
        this.channel = channel;
    }

    /** Opens what is there of {@code file} at {@code path}, and reads it for the digest. */
    static IncompleteBlob open(RemoteFile file, Path path, Disk disk) {
        FileChannel channel;
        try {
            channel = FileChannel.open(
                    path,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            throw failure(path, e);
        }
        IncompleteBlob blob = new IncompleteBlob(file, path, disk, channel);
        try {
            blob.readAgain();
            return blob;
        } catch (IOException e) {
            blob.close();
            throw failure(path, e);
        }
    }

    /** How many of the blob's bytes are there. */
    long size() {
        return size;
    }

    void append(ByteBuffer bytes) {
        int count = bytes.remaining();
        digest.update(bytes.duplicate());
        try {
            disk.write(channel, bytes, size);
        } catch (IOException e) {
            throw full(count) ? diskFull(e) : failure(path, e);
        }
        size += count;
    }

    /** Forgets what is there. */
    void restart() {
        try {
            channel.truncate(0);
        } catch (IOException e) {
            throw failure(path, e);
        }
        size = 0;
        digest = file.blob().digest(file.size());
    }

    /** Whether the bytes, which are all there, are the right ones; after that the digest is used up. */
    boolean isRight() {
        return size == file.size() && file.blob().isOf(digest);
    }

    /** Gives the blob its name, once its bytes are on the disk. */
    void publish(Path blob) {
        try {
            channel.force(true);
            channel.close();
            CachedRepository.move(path, blob);
        } catch (IOException e) {
            throw failure(blob, e);
        }
    }

    /** Throws away what is there. */
    void delete() {
        try {
            channel.close();
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw failure(path, e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw failure(path, e);
        }
    }

    private void readAgain() throws IOException {
        digest = file.blob().digest(file.size());
        if (channel.size() > file.size()) {
            channel.truncate(0);
        }
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
        while (channel.read(buffer, size) > 0) {
            buffer.flip();
            size += buffer.remaining();
            digest.update(buffer);
            buffer.clear();
        }
    }

    /** The system's words for it depend on its language. */
    private boolean full(int wanted) {
        try {
            return disk.freeBytes(path.getParent()) < Math.max(wanted, BUFFER);
        } catch (IOException _) {
            return false;
        }
    }

    private HubException diskFull(IOException cause) {
        return new HubException(
                path + ": the disk is full, with " + Text.bytes(size) + " of " + Text.bytes(file.size()) + " of "
                        + file.path() + " written; make room, and the same command goes on from there",
                cause);
    }

    private static RuntimeException failure(Path path, IOException e) {
        return e instanceof ClosedByInterruptException ? Interruption.cancelled(e) : HubException.io(path, e);
    }
}
