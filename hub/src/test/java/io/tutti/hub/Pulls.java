package io.tutti.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.files.UserHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** Pulls from a {@link LoopbackHub} into a cache of their own, without waiting between attempts. */
final class Pulls {
    static final ModelName MODEL = ModelName.parse("owner/name").orElseThrow();

    final LoopbackHub hub;
    final Path cache;
    final Map<String, String> variables;
    /** How long the pull would have waited. */
    final List<Duration> pauses = new CopyOnWriteArrayList<>();

    Disk disk = Disk.SYSTEM;
    Duration answer = Duration.ofSeconds(30);

    Pulls(LoopbackHub hub, Path cache) {
        this.hub = hub;
        this.cache = cache;
        variables = new TreeMap<>(hub.variables(cache));
    }

    PulledModel pull() {
        return pull(MODEL, (_, _) -> {});
    }

    PulledModel pull(ModelName model, ModelPull.Progress progress) {
        Patience patience = new Patience(
                Duration.ofSeconds(30), answer, 2, 4, Duration.ofSeconds(1), Duration.ofMinutes(5), pauses::add);
        UserHome home = new UserHome(Map.of("HOME", cache.toString()), "Linux", cache.toString(), cache);
        return ModelPull.run(model, new HubEnvironment(variables, home), patience, disk, progress);
    }

    /** The one line with which it is refused. */
    String refusal() {
        Throwable refused = catchThrowable(this::pull);
        assertThat(refused).isInstanceOfAny(HubException.class, ModelException.class);
        assertThat(refused.getMessage()).isNotBlank().doesNotContain("\n", "Exception", LoopbackHub.TOKEN);
        return refused.getMessage();
    }

    Path repository() {
        return cache.resolve("models--owner--name");
    }

    Path snapshot() {
        return repository().resolve("snapshots").resolve(LoopbackHub.COMMIT);
    }

    Path blob(String file) {
        return repository().resolve("blobs").resolve(hub.files.get(file).etag());
    }

    Path incomplete(String file) {
        return blob(file).resolveSibling(blob(file).getFileName() + ".tutti.incomplete");
    }

    /** Everything that a reader could take for a file of the model is whole; returns how many there are. */
    int requireNoHalfFile() throws IOException {
        Path blobs = repository().resolve("blobs");
        int whole = 0;
        if (Files.exists(blobs)) {
            for (Path blob : list(blobs)) {
                String name = blob.getFileName().toString();
                if (!name.endsWith(".tutti.incomplete") && !name.endsWith(".tmp")) {
                    assertThat(hub.files.values())
                            .filteredOn(stored -> stored.etag().equals(name))
                            .singleElement()
                            .satisfies(stored -> assertThat(blob).hasBinaryContent(stored.bytes()));
                    whole++;
                }
            }
        }
        if (Files.exists(snapshot())) {
            try (Stream<Path> files = Files.walk(snapshot())) {
                assertThat(files.filter(file -> !Files.isDirectory(file)))
                        .allSatisfy(file -> assertThat(file)
                                .hasBinaryContent(hub.files
                                        .get(snapshot()
                                                .relativize(file)
                                                .toString()
                                                .replace('\\', '/'))
                                        .bytes()));
            }
        }
        if (Files.exists(repository().resolve("refs").resolve("main"))) {
            requireWholeModel();
        }
        return whole;
    }

    /** The model is there as {@link LoopbackHub#withModel} has it, and is found. */
    void requireWholeModel() {
        assertThat(new HubCache(cache).find(MODEL)).isEqualTo(snapshot());
        for (String file : List.of(
                "config.json",
                "generation_config.json",
                "tokenizer.json",
                "chat_template.jinja",
                "additional_chat_templates/tool use.jinja",
                "model.safetensors")) {
            assertThat(snapshot().resolve(file))
                    .hasBinaryContent(hub.files.get(file).bytes());
        }
    }

    static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }

    /** Every file under {@code root}, links not followed. */
    static List<String> tree(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> !Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS))
                    .map(file -> root.relativize(file).toString().replace('\\', '/'))
                    .sorted()
                    .toList();
        }
    }
}
