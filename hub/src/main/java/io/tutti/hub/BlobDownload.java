package io.tutti.hub;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/** Brings single files into the cache's blobs, each whole and with the right hash, or not at all. */
final class BlobDownload {
    private static final int BUFFER = 1 << 16;
    /** So much in one attempt is worth another one, however often the connection breaks. */
    private static final long PROGRESS = 1 << 20;

    private final HubClient client;
    private final CachedRepository repository;
    private final String commit;
    private final Patience patience;
    private final Disk disk;
    private final Transfer transfer;
    private final AtomicBoolean noted = new AtomicBoolean();

    BlobDownload(
            HubClient client,
            CachedRepository repository,
            String commit,
            Patience patience,
            Disk disk,
            Transfer transfer) {
        this.client = client;
        this.repository = repository;
        this.commit = commit;
        this.patience = patience;
        this.disk = disk;
        this.transfer = transfer;
    }

    /**
     * Downloads {@code file}, or waits for another process that does, unless its blob is there.
     *
     * @throws HubException if the hub refuses it, it is not what the list says, or it cannot be written
     */
    void fetch(RemoteFile file) throws InterruptedException {
        if (repository.has(file)) {
            transfer.found(file.size());
            return;
        }
        try (BlobLock lock = BlobLock.acquire(repository.lock(file.blob()), disk)) {
            if (repository.has(file)) {
                transfer.found(file.size());
                return;
            }
            if (lock.problem().isPresent()) {
                fetchAlone(file, lock.problem().get());
            } else {
                fetch(file, repository.incomplete(file.blob()));
            }
        }
    }

    /**
     * Downloads without a lock, into a file of this process alone. It starts from what an earlier run left, which only one
     * process can take, by renaming it. If the download fails, the file gets that name back.
     */
    private void fetchAlone(RemoteFile file, String problem) throws InterruptedException {
        if (!noted.getAndSet(true)) {
            transfer.say(problem + "; without locks, two pulls at once download a file twice");
        }
        Path shared = repository.incomplete(file.blob());
        Path own = repository.unshared(file.blob());
        moveIfThere(shared, own);
        try {
            fetch(file, own);
        } finally {
            moveIfThere(own, shared);
        }
    }

    private static void moveIfThere(Path from, Path to) {
        try {
            CachedRepository.move(from, to);
        } catch (NoSuchFileException _) {
            // The usual case.
        } catch (IOException e) {
            throw HubException.io(from, e);
        }
    }

    private void fetch(RemoteFile file, Path incomplete) throws InterruptedException {
        try (IncompleteBlob blob = IncompleteBlob.open(file, incomplete, disk)) {
            long resumed = blob.size();
            transfer.found(resumed);
            boolean right = fill(blob, file);
            if (!right && resumed > 0) {
                // What an earlier run left may be wrong, as after a crash of the system.
                restart(blob);
                right = fill(blob, file);
            }
            if (!right) {
                blob.delete();
                throw new HubException(file.path() + ": what came is not what the hub's list of files says, "
                        + file.blob() + "; it is deleted");
            }
            blob.publish(repository.blob(file.blob()));
        }
    }

    /** Downloads what {@code blob} lacks; returns whether it is the right one then. */
    private boolean fill(IncompleteBlob blob, RemoteFile file) throws InterruptedException {
        Attempts attempts = new Attempts(file.path(), patience, transfer::say);
        while (blob.size() < file.size()) {
            long before = blob.size();
            try {
                receive(blob, file);
            } catch (IOException e) {
                if (blob.size() - before >= PROGRESS) {
                    attempts.succeeded();
                }
                attempts.failed(e);
            }
        }
        return blob.isRight();
    }

    private void receive(IncompleteBlob blob, RemoteFile file) throws IOException, InterruptedException {
        try (Body body = client.file(file, commit, blob.size())) {
            if (body.from() != blob.size()) {
                restart(blob);
            }
            byte[] buffer = new byte[BUFFER];
            int count;
            while ((count = body.read(buffer)) >= 0) {
                if (count > file.size() - blob.size()) {
                    blob.delete();
                    throw new HubException(file.path() + ": more bytes come than the " + Text.bytes(file.size())
                            + " of the hub's list of files; what came is deleted");
                }
                blob.append(ByteBuffer.wrap(buffer, 0, count));
                transfer.received(count);
            }
            if (blob.size() < file.size()) {
                throw new IOException("it ended after " + Text.bytes(blob.size()) + " of " + Text.bytes(file.size()));
            }
        }
    }

    private void restart(IncompleteBlob blob) {
        transfer.found(-blob.size());
        blob.restart();
    }
}
