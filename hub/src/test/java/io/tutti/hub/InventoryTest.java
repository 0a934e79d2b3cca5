package io.tutti.hub;

import static io.tutti.hub.LoopbackHub.pattern;
import static io.tutti.hub.LoopbackHub.status;
import static io.tutti.hub.LoopbackHub.text;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mirrors that say less than the hub: everything that can be checked by what else they say is downloaded. */
class InventoryTest extends WithHub {

    @BeforeEach
    void listNothingButNames() {
        hub.fail("", text(hub.list().replaceAll(", \"(size|blobId|lfs)\": (\\{[^}]*}|\"[^\"]*\"|\\d+)", "")));
    }

    private List<String> asked(String method) {
        return hub.requests.stream()
                .filter(request ->
                        request.method().equals(method) && request.server().equals("hub"))
                .map(request -> request.path().replaceFirst(".*/", ""))
                .toList();
    }

    @Test
    void theListOfThisMirrorHasNothingButNames() throws Exception {
        assertThat(RemoteList.parse("owner/name", hub.list().getBytes(StandardCharsets.UTF_8))
                        .entry("model.safetensors"))
                .get()
                .matches(RemoteEntry::isComplete);
        pulls.pull();
        assertThat(hub.requests.get(1).path()).endsWith("/tree/" + LoopbackHub.COMMIT);
    }

    @Test
    void sizesAndHashesAreThoseOfTheTree() {
        pulls.pull();
        pulls.requireWholeModel();
        assertThat(asked("HEAD")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 11})
    void aTreeMayComeInPages(int page) {
        hub.treePage = page;
        pulls.pull();
        pulls.requireWholeModel();
        assertThat(asked("HEAD")).isEmpty();
    }

    @Test
    void withoutATreeEachFilesHeadersSayThem() {
        hub.treePage = 0;
        pulls.pull();
        pulls.requireWholeModel();
        assertThat(asked("HEAD"))
                .containsExactlyInAnyOrder(
                        "config.json",
                        "generation_config.json",
                        "tokenizer.json",
                        "chat_template.jinja",
                        "tool%20use.jinja",
                        "model.safetensors");
    }

    @Test
    void aPageForPeopleIsNoTree() {
        hub.fail("tree", text("<html>Not here</html>"));
        pulls.pull();
        pulls.requireWholeModel();
    }

    @Test
    void shardsAreAskedForOnceTheIndexNamesThem() {
        hub.treePage = 0;
        shard();
        pulls.pull();
        assertThat(pulls.snapshot().resolve("model-00002-of-00002.safetensors")).hasBinaryContent(pattern(2000, 2));
        assertThat(asked("HEAD"))
                .contains("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")
                .doesNotContain("model-00009-of-00009.safetensors");
    }

    private void shard() {
        takeFirstAnswer();
        hub.files.remove("model.safetensors");
        hub.put("model-00001-of-00002.safetensors", pattern(1000, 1), true);
        hub.put("model-00002-of-00002.safetensors", pattern(2000, 2), true);
        hub.put("model-00009-of-00009.safetensors", pattern(3000, 3), true);
        hub.put("model.safetensors.index.json", """
                {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}""".getBytes(StandardCharsets.UTF_8), false);
        hub.fail("", text(hub.list().replaceAll(", \"(size|blobId|lfs)\": (\\{[^}]*}|\"[^\"]*\"|\\d+)", "")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"sha\": \"" + LoopbackHub.COMMIT + "\"}",
                "{\"sha\": \"" + LoopbackHub.COMMIT + "\", \"siblings\": null}"
            })
    void withoutAListTheTreeIsOne(String answer) {
        takeFirstAnswer();
        hub.fail("", text(answer));
        pulls.pull();
        pulls.requireWholeModel();
    }

    @Test
    void withoutAListOrATreeTheFilesOfAModelAreAskedForByTheirNames() {
        takeFirstAnswer();
        hub.treePage = 0;
        hub.files.remove("additional_chat_templates/tool use.jinja");
        hub.fail("", text("{\"sha\": \"" + LoopbackHub.COMMIT + "\"}"));
        assertThat(pulls.pull().files()).isEqualTo(5);
        assertThat(pulls.snapshot().resolve("tokenizer.json")).hasBinaryContent(pattern(70_000, 1));
    }

    @Test
    void withoutAListOrATreeShardsAreThoseOfTheIndex() {
        takeFirstAnswer();
        hub.treePage = 0;
        shard();
        takeFirstAnswer();
        hub.fail("", text("{\"sha\": \"" + LoopbackHub.COMMIT + "\"}"));
        pulls.pull();
        assertThat(pulls.snapshot().resolve("model-00001-of-00002.safetensors")).hasBinaryContent(pattern(1000, 1));
    }

    @Test
    void withoutACommitTheHeadersOfTheConfigSayIt() {
        takeFirstAnswer();
        hub.fail("", text("{}"));
        ModelName commit = ModelName.parse("owner/name@" + LoopbackHub.COMMIT).orElseThrow();
        assertThat(pulls.pull(commit, (_, _) -> {}).commit()).isEqualTo(LoopbackHub.COMMIT);
        assertThat(asked("HEAD")).isEmpty();

        hub.fail("", text("{}"));
        assertThat(pulls.pull().commit()).isEqualTo(LoopbackHub.COMMIT);
        assertThat(asked("HEAD")).containsExactly("config.json");
    }

    @Test
    void withoutACommitNothingIsDownloaded() {
        takeFirstAnswer();
        hub.withheld.add("X-Repo-Commit");
        hub.fail("", text("{}"));
        assertThat(pulls.refusal()).contains("the hub's list of files has no sha");
        assertThat(pulls.cache).doesNotExist();
    }

    @Test
    void whatNothingSaysTheHashOfIsRefusedByName() {
        hub.treePage = 0;
        hub.withheld.add("ETag");
        assertThat(pulls.refusal()).contains("the hub's list of files gives", "no hash; nothing is downloaded");
        assertThat(pulls.cache).doesNotExist();
    }

    @Test
    void aFileThatIsKeptElsewhereIsKnownByWhatTheHubSaysOfIt() {
        hub.treePage = 0;
        hub.withheld.add("X-Linked-Etag");
        // The file server's own ETag is no hash.
        assertThat(pulls.refusal()).contains("gives model.safetensors no hash");
    }

    @Test
    void aTokenThatIsNotEnoughIsToldAtOnce() {
        hub.fail("tree", status(401));
        assertThat(pulls.refusal()).contains("the hub does not accept the token");
    }

    @Test
    void otherBytesThanTheHeadersSayAreRefused() {
        hub.treePage = 0;
        hub.fail("tokenizer.json", LoopbackHub.ranges(), LoopbackHub.otherBytes(0));
        assertThat(pulls.refusal()).contains("tokenizer.json", "not what the hub's list of files says");
        assertThat(pulls.snapshot()).doesNotExist();
    }

    /** What the mirror would have listed. */
    private void takeFirstAnswer() {
        hub.forget("");
    }
}
