package io.tutti.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.modelio.files.UserHome;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Models are listed and removed in a cache that is laid out here by hand, as huggingface_hub lays it out. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a right there")
class CacheRemovalTest {
    private static final String OLD = "1".repeat(40);
    private static final String NEW = "2".repeat(40);
    private static final String SHARED = "ab".repeat(32);

    @TempDir
    private Path folder;

    private Path root;
    private Path repository;

    @BeforeEach
    void layOut() throws IOException {
        root = Files.createDirectory(folder.resolve("hub"));
        repository = layOut("models--owner--name");
    }

    private Path layOut(String name) throws IOException {
        Path made = root.resolve(name);
        write(made.resolve("blobs/both"), "{}");
        write(made.resolve("blobs/old"), "old weights");
        write(made.resolve("blobs/new"), "new weights!");
        link(made, OLD, "config.json", "both");
        link(made, OLD, "model.safetensors", "old");
        link(made, NEW, "config.json", "both");
        link(made, NEW, "model.safetensors", "new");
        write(made.resolve("refs/main"), NEW);
        write(made.resolve("refs/v1.0"), OLD);
        write(made.resolve("refs/refs/pr/3"), OLD);
        write(made.resolve("trees/" + OLD + ".json"), "{}");
        write(made.resolve(".no_exist/" + OLD + "/tokenizer.json"), "");
        for (String blob : List.of("both", "old", "new")) {
            write(root.resolve(".locks").resolve(name).resolve(blob + ".lock"), "");
        }
        return made;
    }

    private static void write(Path file, String content) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    private static void link(Path repository, String commit, String name, String blob) throws IOException {
        Path snapshot = Files.createDirectories(repository.resolve("snapshots").resolve(commit));
        Files.createSymbolicLink(snapshot.resolve(name), Path.of("../../blobs", blob));
    }

    /** What a pull makes of a link where the system has no symbolic ones. */
    enum InPlaceOfLinks {
        HARD_LINKS,
        COPIES;

        void replace(Path link) throws IOException {
            Path blob = link.toRealPath();
            Files.delete(link);
            switch (this) {
                case HARD_LINKS -> Files.createLink(link, blob);
                case COPIES -> Files.copy(blob, link);
            }
        }
    }

    private void replaceLinks(InPlaceOfLinks by) throws IOException {
        for (String commit : List.of(OLD, NEW)) {
            for (Path link : Pulls.list(repository.resolve("snapshots").resolve(commit))) {
                by.replace(link);
            }
        }
    }

    private CacheRemoval removal(String name) {
        UserHome home = new UserHome(Map.of(), "Linux", "?", root);
        return CacheRemoval.of(
                new HubCache(root),
                PastedName.parse(name, new HubEnvironment(Map.of(), home)).orElseThrow());
    }

    private List<String> tree() throws IOException {
        return Pulls.tree(root);
    }

    // Listing

    @Test
    void everyCommitIsListedByTheNameThatFindsIt() throws IOException {
        write(root.resolve("models--gpt2/snapshots/" + OLD + "/config.json"), "{}");
        write(root.resolve("datasets--a--b/snapshots/" + OLD + "/x"), "{}");
        write(root.resolve("models--parts--only/blobs/ff.tutti.incomplete"), "123");
        write(root.resolve("version.txt"), "1");
        List<CachedModel> models = new HubCache(root).models();
        assertThat(models)
                .extracting(CachedModel::name, CachedModel::bytes)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("gpt2@" + OLD, 2L),
                        org.assertj.core.groups.Tuple.tuple("owner/name@refs/pr/3", 13L),
                        org.assertj.core.groups.Tuple.tuple("owner/name", 14L),
                        org.assertj.core.groups.Tuple.tuple("parts/only", 3L));
        assertThat(models.get(1).refs()).containsExactly("refs/pr/3", "v1.0");
        assertThat(models.get(2).directory()).isEqualTo(repository.resolve("snapshots/" + NEW));
        assertThat(models.getLast().commit()).isEmpty();
        // What two commits share lies on the disk once.
        assertThat(CachedModel.bytes(models)).isEqualTo(2 + 13 + 12 + 3);
        assertThat(new HubCache(root.resolve("none")).models()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"HARD_LINKS, 13, 14, 25", "COPIES, 26, 28, 52"})
    void withoutSymbolicLinksNoBlobIsTakenForWhatADownloadLeft(InPlaceOfLinks by, long old, long young, long both)
            throws IOException {
        replaceLinks(by);
        List<CachedModel> models = new HubCache(root).models();
        assertThat(models)
                .extracting(CachedModel::name, CachedModel::bytes)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("owner/name@refs/pr/3", old),
                        org.assertj.core.groups.Tuple.tuple("owner/name", young));
        assertThat(CachedModel.bytes(models)).isEqualTo(both);
        write(repository.resolve("blobs/ff.tutti.incomplete"), "123");
        assertThat(new HubCache(root).models().getLast().bytes()).isEqualTo(3);
    }

    @Test
    void aBrokenRefOrLinkDoesNotKeepTheOthersFromTheList() throws IOException {
        write(repository.resolve("refs/broken"), "nonsense");
        Files.delete(repository.resolve("blobs/old"));
        assertThat(new HubCache(root).models())
                .extracting(CachedModel::name)
                .containsExactly("owner/name@refs/pr/3", "owner/name");
        assertThat(HubCache.lost(repository.resolve("snapshots/" + OLD)))
                .get()
                .asString()
                .contains("model.safetensors");
        assertThat(HubCache.lost(repository.resolve("snapshots/" + NEW))).isEmpty();
    }

    // Removing

    @Test
    void aWholeModelGoesWithItsLocksAndTheOthersStay() throws IOException {
        layOut("models--owner--other");
        List<String> others =
                tree().stream().filter(path -> path.contains("other")).toList();
        CacheRemoval removal = removal("owner/name");
        assertThat(removal.bytes()).isEqualTo(2 + 11 + 12 + 40 + 40 + 40 + 2);
        removal.run();
        assertThat(tree()).isEqualTo(others);
        assertThat(repository).doesNotExist();
        assertThat(root.resolve(".locks/models--owner--name")).doesNotExist();
    }

    @Test
    void oneRevisionGoesWithWhatNoOtherUses() throws IOException {
        CacheRemoval removal = removal("owner/name@v1.0");
        assertThat(removal.bytes()).isEqualTo(11 + 40 + 40 + 2);
        removal.run();
        assertThat(tree())
                .containsExactly(
                        ".locks/models--owner--name/both.lock",
                        ".locks/models--owner--name/new.lock",
                        "models--owner--name/blobs/both",
                        "models--owner--name/blobs/new",
                        "models--owner--name/refs/main",
                        "models--owner--name/snapshots/" + NEW + "/config.json",
                        "models--owner--name/snapshots/" + NEW + "/model.safetensors");
        assertThat(repository.resolve("refs/refs")).doesNotExist();
        assertThat(repository.resolve("snapshots/" + OLD)).doesNotExist();
    }

    @ParameterizedTest
    @EnumSource
    void withoutSymbolicLinksARevisionGoesWithItsBlobsToo(InPlaceOfLinks by) throws IOException {
        replaceLinks(by);
        write(repository.resolve("blobs/stray"), "old weight!"); // as long as those, and nobody's
        CacheRemoval removal = removal("owner/name@v1.0");
        assertThat(removal.bytes())
                .isEqualTo(by == InPlaceOfLinks.HARD_LINKS ? 11 + 40 + 40 + 2 : 11 + 11 + 40 + 40 + 2 + 2);
        removal.run();
        assertThat(tree())
                .containsExactly(
                        ".locks/models--owner--name/both.lock",
                        ".locks/models--owner--name/new.lock",
                        "models--owner--name/blobs/both",
                        "models--owner--name/blobs/new",
                        "models--owner--name/blobs/stray",
                        "models--owner--name/refs/main",
                        "models--owner--name/snapshots/" + NEW + "/config.json",
                        "models--owner--name/snapshots/" + NEW + "/model.safetensors");
    }

    @Test
    void aRevisionIsMeantByACommitAndByAnAddressToo() throws IOException {
        removal("owner/name@" + OLD).run();
        assertThat(repository.resolve("refs/v1.0")).doesNotExist();
        removal("https://huggingface.co/owner/name/tree/main").run();
        assertThat(repository).doesNotExist();
    }

    @Test
    void mainIsOneRevisionIfItIsGiven() {
        removal("owner/name@main").run();
        assertThat(repository.resolve("snapshots/" + OLD)).isDirectory();
        assertThat(repository.resolve("blobs/new")).doesNotExist();
        assertThat(repository.resolve("blobs/both")).exists();
    }

    @Test
    void whatIsNotThereIsRefused() {
        assertThatThrownBy(() -> removal("owner/none"))
                .isInstanceOf(HubException.class)
                .hasMessage(
                        "owner/none: is not in the Hugging Face cache " + root + "; accepted: what `tutti list` shows");
        assertThatThrownBy(() -> removal("owner/name@v2"))
                .hasMessage("owner/name: has no revision v2 in the cache; accepted: main, refs/pr/3, v1.0");
        assertThatThrownBy(() -> removal("owner/name@" + "3".repeat(40))).hasMessageContaining("has no revision 333");
    }

    @Test
    void copiesInASnapshotGoWithIt() throws IOException {
        write(repository.resolve("snapshots/" + OLD + "/tokenizer.json"), "copied");
        assertThat(removal("owner/name@v1.0").bytes()).isEqualTo(11 + 40 + 40 + 2 + 6);
    }

    @Test
    void aFileWithTwoNamesIsCountedOnce() throws IOException {
        Files.createLink(
                repository.resolve("snapshots/" + OLD + "/linked.safetensors"), repository.resolve("blobs/old"));
        assertThat(removal("owner/name@v1.0").bytes()).isEqualTo(11 + 40 + 40 + 2);
    }

    @Test
    void linksOutOfTheCacheAreRemovedAndNotFollowed() throws IOException {
        Path outside = Files.createDirectory(folder.resolve("outside"));
        write(outside.resolve("mine"), "mine");
        Files.createSymbolicLink(repository.resolve("snapshots/" + OLD + "/mine"), outside.resolve("mine"));
        Files.createSymbolicLink(repository.resolve("snapshots/" + OLD + "/folder"), outside);
        Files.createSymbolicLink(repository.resolve("snapshots/" + OLD + "/up"), Path.of("../../../../outside/mine"));
        removal("owner/name@v1.0").run();
        assertThat(repository.resolve("snapshots/" + OLD)).doesNotExist();

        Files.createSymbolicLink(repository.resolve("folder"), outside);
        removal("owner/name").run();
        assertThat(repository).doesNotExist();
        assertThat(outside.resolve("mine")).hasContent("mine");
    }

    @Test
    void aRepositoryBehindALinkLosesTheLinkAlone() throws IOException {
        Path elsewhere = folder.resolve("elsewhere");
        Files.move(repository, elsewhere);
        Files.createSymbolicLink(repository, elsewhere);
        assertThatThrownBy(() -> removal("owner/name@v1.0")).hasMessageContaining("is a symbolic link");
        removal("owner/name").run();
        assertThat(Files.isSymbolicLink(repository)).isFalse();
        assertThat(elsewhere.resolve("blobs/new")).exists();
    }

    @Test
    void blobsBehindALinkAreNotTouched() throws IOException {
        Path elsewhere = folder.resolve("elsewhere");
        Files.move(repository.resolve("blobs"), elsewhere);
        Files.createSymbolicLink(repository.resolve("blobs"), elsewhere);
        assertThatThrownBy(() -> removal("owner/name@v1.0")).hasMessageContaining("is a symbolic link");
        removal("owner/name").run();
        assertThat(repository).doesNotExist();
        assertThat(elsewhere.resolve("old")).exists();
    }

    @Test
    void aDownloadThatIsGoingOnIsNotDisturbed() throws Exception {
        Path lock = root.resolve(".locks/models--owner--name/new.lock");
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName(),
                        lock.toString())
                .start();
        try {
            assertThat(other.inputReader().readLine()).isEqualTo("locked");
            CacheRemoval removal = removal("owner/name");
            assertThatThrownBy(removal::run)
                    .isInstanceOf(HubException.class)
                    .hasMessageContaining("is being downloaded; remove it again when that has ended");
            assertThat(repository.resolve("refs/main")).exists();
        } finally {
            other.destroyForcibly().waitFor();
        }
        removal("owner/name").run();
        assertThat(repository).doesNotExist();
    }

    /** Holds a lock until it is killed. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] args) throws Exception {
            try (FileChannel file = FileChannel.open(Path.of(args[0]), StandardOpenOption.WRITE)) {
                file.lock();
                System.out.println("locked");
                Thread.sleep(60_000);
            }
        }
    }

    // Files that repositories share

    private Path share(String... users) throws IOException {
        Path store = root.resolve("blobs/ab").resolve(SHARED);
        write(store, "shared weights");
        write(root.resolve("blobs/.huggingface-shared-blobs"), "1\n");
        StringBuilder references = new StringBuilder();
        for (String user : users) {
            Path blob = root.resolve(user).resolve("blobs/new");
            Files.delete(blob);
            Files.createSymbolicLink(blob, Path.of("../../blobs/ab", SHARED));
            references.append(user).append("/blobs/new\n");
        }
        write(store.resolveSibling(SHARED + ".refs"), references.toString());
        return store;
    }

    @Test
    void aSharedFileGoesWithItsLastUser() throws IOException {
        layOut("models--owner--other");
        Path store = share("models--owner--name", "models--owner--other");
        CacheRemoval first = removal("owner/name@main");
        assertThat(first.bytes()).isEqualTo(40);
        first.run();
        assertThat(store).hasContent("shared weights");

        CacheRemoval second = removal("owner/other");
        assertThat(second.bytes()).isEqualTo(2 + 11 + 14 + 40 + 40 + 40 + 2);
        second.run();
        assertThat(store).doesNotExist();
        assertThat(store.resolveSibling(SHARED + ".refs")).doesNotExist();
    }

    @Test
    void aSharedFileWhoseUsersAreNotKnownStays() throws IOException {
        Path store = share("models--owner--name");
        Files.delete(store.resolveSibling(SHARED + ".refs"));
        removal("owner/name").run();
        assertThat(store).exists();

        layOut("models--owner--name");
        share("models--owner--name");
        Files.delete(root.resolve("blobs/.huggingface-shared-blobs"));
        removal("owner/name").run();
        assertThat(store).exists();
    }
}
