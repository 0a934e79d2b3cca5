package io.tutti.hub;

import io.tutti.modelio.config.ModelDirectory;
import io.tutti.modelio.safetensors.Checkpoint;
import io.tutti.modelio.safetensors.ShardIndex;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds out which files a repository has, with their sizes and hashes. The hub says all of it at once. Mirrors may leave out
 * sizes, hashes or the whole list; then this asks for the listing of the tree, and for what is still missing the headers of
 * each file, as huggingface_hub does.
 */
final class Inventory {
    private final HubClient client;

    Inventory(HubClient client) {
        this.client = client;
    }

    /**
     * The repository at the model's revision. Sizes and hashes of its shards may still be missing; {@link #complete} asks for
     * them.
     *
     * @throws IOException if the network fails, or the hub for a while
     * @throws HubException if the hub refuses, or does not say which commit it is
     */
    RemoteList list() throws IOException, InterruptedException {
        RemoteList answer = client.information();
        String repository = answer.repository();
        Optional<String> commit = commit(answer);
        RemoteList list = new RemoteList(repository, commit, answer.entries());
        String at = list.requireCommit();
        if (!isComplete(list)) {
            list = new RemoteList(repository, commit, merged(list.entries(), client.tree(at)));
        }
        if (list.entries().isEmpty()) {
            return complete(
                    new RemoteList(repository, commit, Optional.of(List.of())),
                    Stream.concat(
                                    ModelDirectory.COMPANIONS.stream(),
                                    Stream.of(Checkpoint.FILE_NAME, ShardIndex.FILE_NAME))
                            .toList());
        }
        return complete(list, neededAtFirst(list));
    }

    /** The commit in the answer; else the revision, if that is one; else the commit in the headers of a file. */
    private Optional<String> commit(RemoteList answer) throws IOException, InterruptedException {
        String revision = client.model().revision();
        Optional<String> known = answer.commit().or(() -> Optional.of(revision).filter(ModelName::isCommit));
        return known.isPresent()
                ? known
                : client.headers(NeededFiles.FIRST, revision)
                        .flatMap(FileHeaders::commit)
                        .filter(ModelName::isCommit);
    }

    private static boolean isComplete(RemoteList list) {
        return list.entries().isPresent()
                && list.entries().get().stream()
                        .filter(entry -> NeededFiles.mayBeNeeded(entry.path()))
                        .allMatch(RemoteEntry::isComplete);
    }

    private static List<String> neededAtFirst(RemoteList list) {
        return list.paths().stream()
                .filter(path -> NeededFiles.mayBeNeeded(path) && !NeededFiles.isShard(path))
                .toList();
    }

    private static Optional<List<RemoteEntry>> merged(
            Optional<List<RemoteEntry>> listed, Optional<List<RemoteEntry>> tree) {
        if (listed.isEmpty() || tree.isEmpty()) {
            return listed.or(() -> tree);
        }
        Map<String, RemoteEntry> more =
                tree.get().stream().collect(Collectors.toMap(RemoteEntry::path, Function.identity(), (one, _) -> one));
        return Optional.of(listed.get().stream()
                .map(entry -> entry.or(more.getOrDefault(entry.path(), entry)))
                .toList());
    }

    /**
     * The list with the size and hash of each of these files, from their headers where the list lacks them. Files that the hub
     * does not have are left out.
     *
     * @throws IOException if the network fails, or the hub for a while
     */
    RemoteList complete(RemoteList list, Collection<String> paths) throws IOException, InterruptedException {
        Map<String, RemoteEntry> known = new HashMap<>();
        list.files().forEach(entry -> known.put(entry.path(), entry));
        Map<String, RemoteEntry> more = new LinkedHashMap<>();
        for (String path : paths) {
            RemoteEntry entry = known.get(path);
            if (entry == null || !entry.isComplete()) {
                client.headers(path, list.requireCommit())
                        .map(headers -> headers.entry(path))
                        .ifPresent(said -> more.put(path, entry == null ? said : entry.or(said)));
            }
        }
        // One that is listed twice stays so: such a list is refused.
        List<RemoteEntry> all = new ArrayList<>(list.files());
        all.replaceAll(entry -> more.getOrDefault(entry.path(), entry));
        more.values().stream().filter(entry -> !known.containsKey(entry.path())).forEach(all::add);
        return new RemoteList(list.repository(), list.commit(), Optional.of(List.copyOf(all)));
    }
}
