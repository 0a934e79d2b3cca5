package io.tutti.hub;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Downloads a model into the cache: its list, the index of its shards if it has one, then all its files, several at
 * once. Only when every blob is there do the snapshot's links appear, and the revision's ref after them, so that an end
 * at any moment leaves nothing that could be taken for a model. The next run goes on with what is there.
 */
public final class ModelPull {

    /** Told now and then, by the thread that called, how the download does; what it throws ends it. */
    @FunctionalInterface
    public interface Progress {
        /** Takes the bytes that are there, and those there will be: 0 until that is known. */
        void report(long done, long total);

        /** Takes a line that says why nothing comes for a while. */
        default void waits(String why) {}
    }

    private static final int AT_ONCE = 4;
    private static final Duration INTERVAL = Duration.ofMillis(100);
    private static final Duration ENDING = Duration.ofSeconds(2);

    private final ModelName model;
    private final URI endpoint;
    private final Optional<String> token;
    private final boolean symbolicLinks;
    private final CachedRepository repository;
    private final Patience patience;
    private final Disk disk;
    private final Transfer transfer = new Transfer();

    private ModelPull(ModelName model, HubEnvironment environment, Patience patience, Disk disk) {
        this.model = model;
        this.patience = patience;
        this.disk = disk;
        endpoint = environment.endpoint();
        token = environment.token();
        symbolicLinks = environment.symbolicLinks();
        repository = new HubCache(environment.cache()).repository(model);
    }

    /**
     * Downloads what is missing of {@code model}.
     *
     * @throws HubException if the hub refuses it, or it does not arrive as the hub's list describes it
     * @throws io.tutti.modelio.ModelException if the repository does not hold a model that could be read
     */
    public static PulledModel run(ModelName model, HubEnvironment environment, Progress progress) {
        return run(model, environment, Patience.USUAL, Disk.SYSTEM, progress);
    }

    static PulledModel run(
            ModelName model, HubEnvironment environment, Patience patience, Disk disk, Progress progress) {
        if (environment.offline()) {
            throw new HubException(model + ": HF_HUB_OFFLINE is set, so nothing is downloaded; accepted: without it");
        }
        return new ModelPull(model, environment, patience, disk).run(progress);
    }

    /** The work is done by threads of its own, so that the caller's can be told about it and end it at any time. */
    private PulledModel run(Progress progress) {
        ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
        try (HubClient client = new HubClient(endpoint, token, model, patience)) {
            Future<PulledModel> result = workers.submit(() -> pull(client, workers));
            try {
                while (true) {
                    try {
                        return result.get(INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
                    } catch (TimeoutException _) {
                        transfer.takeWaits().forEach(progress::waits);
                        progress.report(transfer.done(), transfer.total());
                    }
                }
            } finally {
                transfer.takeWaits().forEach(progress::waits);
                workers.shutdownNow();
                workers.awaitTermination(ENDING.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (ExecutionException e) {
            throw unwrapped(e);
        } catch (InterruptedException e) {
            throw Interruption.cancelled(e);
        }
    }

    private PulledModel pull(HubClient client, ExecutorService workers) throws InterruptedException {
        RemoteList list = list(client);
        NeededFiles needed = new NeededFiles(list);
        repository.prepare();
        BlobDownload download = new BlobDownload(client, repository, list.commit(), patience, disk, transfer);
        Optional<RemoteFile> index = needed.index();
        if (index.isPresent()) {
            transfer.setTotal(index.get().size());
            download.fetch(index.get());
        }
        List<RemoteFile> files = needed.all(index.map(file -> repository.blob(file.blob())));
        Map<BlobId, RemoteFile> blobs = new HashMap<>();
        files.forEach(file -> blobs.put(file.blob(), file));
        index.ifPresent(file -> blobs.remove(file.blob()));

        long bytes = blobs.values().stream().mapToLong(RemoteFile::size).sum() + transfer.done();
        transfer.setTotal(bytes);
        requireRoom(blobs.values());
        fetchAll(blobs.values(), download, workers);

        for (RemoteFile file : files) {
            repository.link(list.commit(), file.path(), file.blob(), symbolicLinks);
        }
        repository.writeRef(model.revision(), list.commit());
        return new PulledModel(
                repository.snapshot(list.commit()), list.commit(), files.size(), bytes, transfer.received());
    }

    private RemoteList list(HubClient client) throws InterruptedException {
        String what = model + " at " + endpoint;
        Attempts attempts = new Attempts(what, patience, transfer::waits);
        int unreached = 0;
        while (true) {
            try {
                RemoteList list = client.list();
                if (ModelName.isCommit(model.revision()) && !model.revision().equals(list.commit())) {
                    throw new HubException(model + ": the hub answers with another commit, " + list.commit());
                }
                return list;
            } catch (IOException e) {
                if (NetworkProblem.isUnreachable(e)) {
                    unreached++;
                    if (NetworkProblem.isUnknownHost(e) || unreached >= patience.contacts()) {
                        throw new HubException(what + ": " + NetworkProblem.of(e) + "; " + NetworkProblem.ADVICE, e);
                    }
                }
                attempts.failed(e);
            }
        }
    }

    private void requireRoom(Iterable<RemoteFile> files) {
        long missing = 0;
        for (RemoteFile file : files) {
            missing += repository.has(file) ? 0 : file.size() - present(repository.incomplete(file.blob()));
        }
        Path cache = repository.cache();
        try {
            long free = disk.freeBytes(cache);
            if (missing > free) {
                throw new HubException(model + ": " + Text.bytes(missing) + " are missing, and the disk of " + cache
                        + " has " + Text.bytes(free)
                        + " free; make room, or set HF_HUB_CACHE to a directory of another disk");
            }
        } catch (IOException e) {
            throw HubException.io(cache, e);
        }
    }

    private static long present(Path incomplete) {
        try {
            return Files.exists(incomplete) ? Files.size(incomplete) : 0;
        } catch (IOException _) {
            return 0; // Whoever else downloads it has just finished.
        }
    }

    /** Ends at the first failure. */
    private static void fetchAll(Iterable<RemoteFile> files, BlobDownload download, ExecutorService workers)
            throws InterruptedException {
        CompletionService<Void> downloads = new ExecutorCompletionService<>(workers);
        int running = 0;
        for (RemoteFile file : files) {
            if (running == AT_ONCE) {
                require(downloads.take());
                running--;
            }
            downloads.submit(() -> {
                download.fetch(file);
                return null;
            });
            running++;
        }
        for (; running > 0; running--) {
            require(downloads.take());
        }
    }

    private static void require(Future<Void> download) throws InterruptedException {
        try {
            download.get();
        } catch (ExecutionException e) {
            throw unwrapped(e);
        }
    }

    private static RuntimeException unwrapped(ExecutionException e) {
        return switch (e.getCause()) {
            case RuntimeException failure -> failure;
            case Error error -> throw error;
            case InterruptedException interrupted -> Interruption.cancelled(interrupted);
            case Throwable failure -> new IllegalStateException(failure);
        };
    }
}
