package io.tutti.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Models are found in a cache that is laid out here by hand, as huggingface_hub documents it. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a right there")
class HubCacheTest {
    private static final String OLD = "1111111111111111111111111111111111111111";
    private static final String NEW = "2222222222222222222222222222222222222222";

    @TempDir
    private Path root;

    private Path repository;

    @BeforeEach
    void layOut() throws IOException {
        repository = root.resolve("models--owner--name");
        Path blobs = Files.createDirectories(repository.resolve("blobs"));
        Files.writeString(blobs.resolve("aa"), "{}");
        Files.writeString(blobs.resolve("bb"), "weights");
        for (String commit : new String[] {OLD, NEW}) {
            Path snapshot =
                    Files.createDirectories(repository.resolve("snapshots").resolve(commit));
            Files.createSymbolicLink(snapshot.resolve("config.json"), Path.of("../../blobs/aa"));
            Files.createSymbolicLink(snapshot.resolve("model.safetensors"), Path.of("../../blobs/bb"));
        }
        ref("main", NEW);
        ref("v1.0", OLD);
        ref("refs/pr/3", OLD);
        ref("1111111", OLD);
        ref("team/branch", NEW + "\n");
    }

    private void ref(String name, String content) throws IOException {
        Path ref = repository.resolve("refs").resolve(name);
        Files.createDirectories(ref.getParent());
        Files.writeString(ref, content);
    }

    private Path find(String name) {
        return new HubCache(root).find(ModelName.parse(name).orElseThrow());
    }

    private ThrowingCallable finding(String name) {
        return () -> find(name);
    }

    @Test
    void revisionsLeadToTheirSnapshots() {
        Path snapshots = repository.resolve("snapshots");
        assertThat(find("owner/name")).isEqualTo(snapshots.resolve(NEW));
        assertThat(find("owner/name@main")).isEqualTo(snapshots.resolve(NEW));
        assertThat(find("owner/name@v1.0")).isEqualTo(snapshots.resolve(OLD));
        assertThat(find("owner/name@refs/pr/3")).isEqualTo(snapshots.resolve(OLD));
        assertThat(find("owner/name@team/branch")).isEqualTo(snapshots.resolve(NEW));
        assertThat(find("owner/name@" + OLD)).isEqualTo(snapshots.resolve(OLD));
        assertThat(find("owner/name@1111111")).isEqualTo(snapshots.resolve(OLD));
        assertThat(find("owner/name").resolve("model.safetensors")).hasContent("weights");
    }

    @Test
    void whatIsNotThereIsToldWithTheWayToGetIt() throws IOException {
        ref("gone", "9".repeat(40)); // its snapshot was deleted
        assertThatThrownBy(finding("owner/other@v2"))
                .isInstanceOf(HubException.class)
                .hasMessage("there is no directory owner/other@v2, nor is it in the Hugging Face cache " + root
                        + "; `tutti pull owner/other@v2` downloads it");
        assertThatThrownBy(finding("owner/name@v2"))
                .hasMessageContaining("owner/name at revision v2 is not in")
                .hasMessageContaining("; revisions in the cache: 1111111, main, refs/pr/3, team/branch, v1.0;")
                .hasMessageContaining("`tutti pull owner/name@v2`");
        assertThatThrownBy(() -> new HubCache(root.resolve("none"))
                        .find(ModelName.parse("owner/name").orElseThrow()))
                .isInstanceOf(HubException.class);
    }

    @Test
    @DisabledOnOs(value = OS.MAC, disabledReason = "its file systems take either case")
    void aNameInAnotherCaseIsOffered() {
        assertThatThrownBy(finding("Owner/NAME"))
                .hasMessageContaining("cache " + root + "; owner/name is, whose name differs in case; `tutti pull");
    }

    @Test
    void aCommitWithoutAnyRefIsOffered() throws IOException {
        Files.delete(repository.resolve("refs/main"));
        Files.delete(repository.resolve("refs/team/branch"));
        assertThatThrownBy(finding("owner/name")).hasMessageContaining("v1.0, " + NEW);
        assertThat(find("owner/name@" + NEW)).isDirectory();
    }

    @Test
    void partOfAModelIsNotTakenForOne() throws IOException {
        Files.delete(repository.resolve("blobs/bb"));
        assertThatThrownBy(finding("owner/name"))
                .hasMessageContaining("only part of owner/name is in")
                .hasMessageContaining("model.safetensors")
                .hasMessageContaining("`tutti pull owner/name` downloads the rest");
        Path snapshot = repository.resolve("snapshots").resolve(NEW);
        Files.delete(snapshot.resolve("model.safetensors"));
        assertThatThrownBy(finding("owner/name")).hasMessageContaining("has no model.safetensors");
        Files.delete(snapshot.resolve("config.json"));
        assertThatThrownBy(finding("owner/name")).hasMessageContaining("has no config.json");
    }

    @Test
    void aConfigThatNeverCameIsNamedBeforeTheWeights() throws IOException {
        Path snapshot = repository.resolve("snapshots").resolve(NEW);
        Files.delete(repository.resolve("blobs/aa"));
        assertThatThrownBy(finding("owner/name"))
                .hasMessageContaining("there is no " + snapshot.resolve("config.json"));
        Files.delete(snapshot.resolve("model.safetensors"));
        assertThatThrownBy(finding("owner/name"))
                .hasMessageContaining("there is no " + snapshot.resolve("config.json"));
    }

    @Test
    void shardsThatNeverCameAreNamed() throws IOException {
        Path snapshot = repository.resolve("snapshots").resolve(NEW);
        Files.move(snapshot.resolve("model.safetensors"), snapshot.resolve("model-00001-of-00002.safetensors"));
        Files.writeString(snapshot.resolve("model.safetensors.index.json"), """
                {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}""");
        assertThatThrownBy(finding("owner/name"))
                .hasMessageContaining("only part of owner/name is in")
                .hasMessageContaining("there is no " + snapshot.resolve("model-00002-of-00002.safetensors"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"../../../etc", "", "main", "/etc", "2222"})
    void aRefHoldsACommitAndNothingElse(String content) throws IOException {
        ref("main", content);
        assertThatThrownBy(finding("owner/name"))
                .isInstanceOf(HubException.class)
                .hasMessageContaining("refs/main")
                .hasMessageContaining("40 hexadecimal digits");
    }

    @Test
    void aRefOfAnyLengthIsReadOnlySoFar() throws IOException {
        ref("main", NEW + "x".repeat(1 << 20));
        assertThatThrownBy(finding("owner/name")).isInstanceOf(HubException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pytorch_model.bin",
                "onnx/model.onnx",
                "README.md",
                "vocab.json",
                "merges.txt",
                "tokenizer.model",
                "consolidated.safetensors"
            })
    void aLinkToNothingThatNobodyNeedsDoesNotMatter(String name) throws IOException {
        Path file = repository.resolve("snapshots").resolve(NEW).resolve(name);
        Files.createDirectories(file.getParent());
        Files.createSymbolicLink(file, Path.of("../../blobs/gone"));
        assertThat(find("owner/name")).isEqualTo(repository.resolve("snapshots").resolve(NEW));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "generation_config.json",
                "tokenizer.json",
                "tokenizer_config.json",
                "special_tokens_map.json",
                "added_tokens.json",
                "chat_template.jinja"
            })
    void aLinkToNothingThatIsNeededIsRefusedByName(String name) throws IOException {
        Path file = repository.resolve("snapshots").resolve(NEW).resolve(name);
        Files.createSymbolicLink(file, Path.of("../../blobs/gone"));
        assertThatThrownBy(finding("owner/name"))
                .hasMessageContaining("only part of owner/name is in")
                .hasMessageContaining("there is no " + file);
    }

    @Test
    void anIndexThatNeverCameIsNamed() throws IOException {
        Path snapshot = repository.resolve("snapshots").resolve(NEW);
        Files.delete(snapshot.resolve("model.safetensors"));
        Files.createSymbolicLink(snapshot.resolve("model.safetensors.index.json"), Path.of("../../blobs/gone"));
        assertThatThrownBy(finding("owner/name"))
                .hasMessageContaining("there is no " + snapshot.resolve("model.safetensors.index.json"));
    }

    @Test
    void aRefWithoutItsSnapshotIsToldWithTheOnesThatAreThere() throws IOException {
        ref("main", "9".repeat(40));
        assertThatThrownBy(finding("owner/name"))
                .hasMessageContaining("owner/name at revision main is not in")
                .hasMessageContaining("; revisions in the cache: 1111111, refs/pr/3, team/branch, v1.0;");
    }
}
