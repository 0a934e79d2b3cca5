package io.tutti.hub;

import io.tutti.modelio.safetensors.ShardIndex;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
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
import java.util.stream.Stream;

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

        /** Takes a line for the user: why nothing comes for a while, or what is unusual about the way it comes. */
        default void waits(String why) {}
    }

    private static final int AT_ONCE = 4;
    private static final Duration INTERVAL = Duration.ofMillis(100);
    private static final Duration ENDING = Duration.ofSeconds(2);

    private final ModelName model;
    private final HubEnvironment environment;
    private final HubCache cache;
    private final CachedRepository repository;
    private final Patience patience;
    private final Disk disk;
    private final Transfer transfer = new Transfer();

    private ModelPull(ModelName model, HubEnvironment environment, Patience patience, Disk disk) {
        this.model = model;
        this.patience = patience;
        this.disk = disk;
        this.environment = environment;
        cache = new HubCache(environment.cache());
        repository = cache.repository(model);
    }

    /**
     * Downloads what the cache lacks of {@code model}. If the hub cannot be asked, a model that is whole in the cache is enough.
     *
     * @throws HubException if the hub refuses it, or it does not arrive as the hub's list describes it
     * @throws io.tutti.modelio.ModelException if the repository does not hold a model that could be read
     */
    public static PulledModel run(ModelName model, HubEnvironment environment, Progress progress) {
        return run(model, environment, Patience.USUAL, Disk.SYSTEM, progress);
    }

    static PulledModel run(
            ModelName model, HubEnvironment environment, Patience patience, Disk disk, Progress progress) {
        ModelPull pull = new ModelPull(model, environment, patience, disk);
        if (environment.offline()) {
            return pull.fromCache(new HubException(
                    model + ": HF_HUB_OFFLINE is set, so nothing is downloaded; accepted: without it"));
        }
        return pull.run(progress);
    }

    /**
     * The model as the cache has it, where the hub cannot be asked.
     *
     * @param why it cannot
     * @throws HubException {@code why}, if the cache does not have all of it
     */
    private PulledModel fromCache(HubException why) {
        Path snapshot;
        try {
            snapshot = cache.find(model);
        } catch (HubException _) {
            throw why;
        }
        String problem = why.getMessage().replaceFirst("; .*", "");
        try (Stream<Path> files = Files.walk(snapshot)) {
            List<Path> all = files.filter(Files::isRegularFile).toList();
            long bytes = 0;
            for (Path file : all) {
                bytes += Files.size(file);
            }
            String commit = snapshot.getFileName().toString();
            return new PulledModel(snapshot, commit, all.size(), bytes, 0, Optional.of(problem));
        } catch (IOException e) {
            throw HubException.io(snapshot, e);
        }
    }

    /** The work is done by threads of its own, so that the caller's can be told about it and end it at any time. */
    private PulledModel run(Progress progress) {
        ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
        try (HubClient client = new HubClient(environment, model, patience)) {
            Future<PulledModel> result = workers.submit(() -> pull(client, workers));
            try {
                while (true) {
                    try {
                        return result.get(INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
                    } catch (TimeoutException _) {
                        transfer.takeLines().forEach(progress::waits);
                        progress.report(transfer.done(), transfer.total());
                    }
                }
            } finally {
                transfer.takeLines().forEach(progress::waits);
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
        Inventory inventory = new Inventory(client);
        RemoteList list;
        try {
            list = list(client, inventory);
        } catch (UnreachedException e) {
            return fromCache(e.refusal);
        }
        NeededFiles needed = new NeededFiles(list);
        String commit = list.requireCommit();
        BlobDownload download = new BlobDownload(client, repository, commit, patience, disk, transfer);
        Optional<RemoteFile> index = needed.index();
        if (index.isPresent()) {
            transfer.setTotal(index.get().size());
            fetch(List.of(index.get()), download, workers);
            needed = new NeededFiles(shards(client, inventory, list, index.get()));
        }
        List<RemoteFile> files = needed.all(index.map(file -> repository.blob(file.blob())));
        Map<BlobId, RemoteFile> blobs = new HashMap<>();
        files.forEach(file -> blobs.put(file.blob(), file));
        index.ifPresent(file -> blobs.remove(file.blob()));

        long bytes = blobs.values().stream().mapToLong(RemoteFile::size).sum() + transfer.done();
        transfer.setTotal(bytes);
        fetch(blobs.values(), download, workers);

        for (RemoteFile file : files) {
            repository.link(commit, file.path(), file.blob(), environment.symbolicLinks());
        }
        repository.writeRef(model.revision(), commit);
        return new PulledModel(
                repository.snapshot(commit), commit, files.size(), bytes, transfer.received(), Optional.empty());
    }

    /** The hub could not be asked, because of the network. */
    private static final class UnreachedException extends Exception {
        private static final long serialVersionUID = 1L;
        private final transient HubException refusal;

        UnreachedException(HubException refusal) {
            super(refusal);
            this.refusal = refusal;
        }
    }

    private RemoteList list(HubClient client, Inventory inventory) throws InterruptedException, UnreachedException {
        String what = model + " at " + client.address();
        Attempts attempts = new Attempts(what, patience, transfer::say);
        int unreached = 0;
        while (true) {
            try {
                RemoteList list = inventory.list();
                if (ModelName.isCommit(model.revision()) && !model.revision().equals(list.requireCommit())) {
                    throw new HubException(model + ": the hub answers with another commit, " + list.requireCommit());
                }
                return list;
            } catch (IOException e) {
                if (NetworkProblem.isUnreachable(e)) {
                    unreached++;
                    if (NetworkProblem.isUnknownHost(e) || unreached >= patience.contacts()) {
                        throw new UnreachedException(
                                new HubException(what + ": " + NetworkProblem.of(e) + "; " + NetworkProblem.ADVICE, e));
                    }
                }
                try {
                    attempts.failed(e);
                } catch (HubException given) {
                    throw new UnreachedException(given);
                }
            }
        }
    }

    private RemoteList shards(HubClient client, Inventory inventory, RemoteList list, RemoteFile index)
            throws InterruptedException {
        Collection<String> shards =
                ShardIndex.read(repository.blob(index.blob())).shards();
        Attempts attempts = new Attempts(model + " at " + client.address(), patience, transfer::say);
        while (true) {
            try {
                return inventory.complete(list, shards);
            } catch (IOException e) {
                attempts.failed(e);
            }
        }
    }

    /** Makes sure that these files are in the cache. Writes nothing if they are already. */
    private void fetch(Collection<RemoteFile> files, BlobDownload download, ExecutorService workers)
            throws InterruptedException {
        if (!files.stream().allMatch(repository::has)) {
            repository.prepare();
            requireRoom(files);
        }
        fetchAll(files, download, workers);
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
