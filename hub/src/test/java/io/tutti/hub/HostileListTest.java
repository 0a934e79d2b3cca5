package io.tutti.hub;

import static io.tutti.hub.LoopbackHub.text;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a hub's list says, nothing is written but what belongs to the model, and nothing outside the cache. */
class HostileListTest extends WithHub {

    private void answer(String list) {
        hub.fail("", text(list));
    }

    private void onlyTheListSaysAnything() {
        hub.treePage = 0;
        hub.heads = false;
    }

    private void requireNothingWritten() throws IOException {
        assertThat(Pulls.tree(folder)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../../../evil",
                "..",
                ".",
                "a/../../../../evil",
                "a/..",
                "./config.json",
                "a//b",
                "a/",
                "/etc/evil",
                "/",
                "",
                "C:evil",
                "c:/evil",
                "C:\\\\evil",
                "..\\\\evil",
                "a\\\\b",
                "nul\\u0000byte",
                "line\\nfeed",
                "\\u001b[2J",
                "\\u0085",
                "half\\ud800character",
                "config.json",
                "config.json/evil",
                "model.safetensors/a/b"
            })
    void aPathThatCannotBeAFileOfTheRepositoryRefusesTheWholeList(String path) throws IOException {
        answer(hub.list().replace("\"README.md\"", '"' + path + '"'));

        assertThat(pulls.refusal()).contains("the hub's list of");
        requireNothingWritten();
        assertThat(hub.requests).hasSize(1);
    }

    @Test
    void pathsAreBoundedInLength() throws IOException {
        for (String path : List.of("n".repeat(256), "é".repeat(128), "a/".repeat(600) + "b")) {
            answer(hub.list().replace("\"README.md\"", '"' + path + '"'));
            assertThat(pulls.refusal()).contains("bytes");
        }
        requireNothingWritten();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "additional_chat_templates/a:b.jinja",
                "additional_chat_templates/con?.jinja",
                "additional_chat_templates/NUL.jinja",
                "additional_chat_templates/.hidden.jinja",
                "additional_chat_templates/Tool Use.jinja"
            })
    void whatIsWrittenHasNamesThatEverySystemKeepsApart(String path) throws IOException {
        answer(hub.list().replace("\"README.md\"", '"' + path + '"'));
        assertThat(pulls.refusal()).containsAnyOf("every system takes", "in case only");
        assertThat(pulls.snapshot()).doesNotExist();
    }

    @Test
    void filesThatAreNotNeededMayHaveStrangeNames() {
        answer(hub.list().replace("\"README.md\"", "\"images/What? A cat: 1*.png\""));
        pulls.pull();
        pulls.requireWholeModel();
    }

    @ParameterizedTest
    @ValueSource(strings = {"../../evil", "/etc/evil", "..\\\\evil", "a/b.safetensors", "C:evil", "absent.safetensors"})
    void shardsOfAHostileIndexAreRefused(String shard) throws IOException {
        hub.files.remove("model.safetensors");
        hub.put(
                "model.safetensors.index.json",
                "{\"weight_map\": {\"a\": \"%s\"}}".formatted(shard).getBytes(StandardCharsets.UTF_8),
                false);
        assertThat(pulls.refusal()).containsAnyOf("a plain file name", "does not hold");
        assertThat(pulls.snapshot()).doesNotExist();
        assertThat(Files.exists(folder.resolve("evil"))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"..", "../../../../evil", "main", "", "C0FFEE00C0FFEE00C0FFEE00C0FFEE00C0FFEE00"})
    void aCommitIsAHashAndNothingElse(String commit) throws IOException {
        answer(hub.list().replace(LoopbackHub.COMMIT, commit));
        assertThat(pulls.refusal()).contains("has the sha");
        requireNothingWritten();
    }

    @ParameterizedTest
    @ValueSource(strings = {"../../evil", "", "zz", "/etc/evil"})
    void hashesNameBlobsAndAreHashes(String hash) throws IOException {
        answer(hub.list().replace(hub.files.get("config.json").etag(), hash));
        assertThat(pulls.refusal()).contains("config.json the hash");
        answer(hub.list().replace(hub.files.get("model.safetensors").etag(), hash));
        assertThat(pulls.refusal()).contains("model.safetensors the hash");
        requireNothingWritten();
    }

    @ParameterizedTest
    @CsvSource({
        "-1, has a file of -1 bytes",
        "1e3, has a JSON number as size; accepted: whole number",
        "\"5\", has a JSON string as size; accepted: whole number",
        "9223372036854775807, a size of 9223372036854775807",
        "99999999999999999999999999, a size of 9223372036854775807",
        "900000000000000, bytes are missing"
    })
    void sizesAreBounded(String size, String says) throws IOException {
        answer(hub.list().replace("\"size\": 300000", "\"size\": " + size));
        assertThat(pulls.refusal()).contains(says);
        requireNothingWritten();
    }

    @Test
    void aTokenizerIsNotAsLargeAsADisk() throws IOException {
        answer(hub.list().replace("\"size\": 70000", "\"size\": 70000000000"));
        assertThat(pulls.refusal()).contains("tokenizer.json has 70,000,000,000 bytes");
        requireNothingWritten();
    }

    @Test
    void enormousListsAreRefused() throws IOException {
        answer(IntStream.rangeClosed(0, 100_000)
                .mapToObj("{\"rfilename\": \"f%d\"}"::formatted)
                .collect(Collectors.joining(",", "{\"siblings\": [", "]}")));
        assertThat(pulls.refusal()).contains("more than the 100000 files");

        answer("{\"x\": \"" + "y".repeat(RemoteList.LONGEST) + "\"}");
        assertThat(pulls.refusal()).contains("longer than 33,554,432 bytes");
        requireNothingWritten();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "nonsense",
                "<html>not found</html>",
                "{}",
                "{\"sha\": 5}",
                "{\"sha\": \"c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00\"}",
                "{\"siblings\": {}}",
                "{\"siblings\": [5]}",
                "{\"siblings\": [{}]}",
                "{\"siblings\": [{\"rfilename\": 5}]}",
                "{\"siblings\": [{\"rfilename\": \"a\", \"lfs\": {}}]}",
                "{\"siblings\": [{\"rfilename\": \"a\", \"rfilename\": \"b\"}]}",
                "{\"siblings\": [",
                "{\"sha\": \"c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00\", \"siblings\": []} more"
            })
    void whatIsNoListIsRefused(String list) throws IOException {
        onlyTheListSaysAnything();
        answer(list);
        assertThat(pulls.refusal()).contains("owner/name");
        requireNothingWritten();
    }

    @Test
    void deepNestingIsNoDanger() throws IOException {
        answer("{\"siblings\": " + "[".repeat(100_000));
        pulls.refusal();
        answer("{\"x\": " + "[".repeat(100_000));
        pulls.refusal();
        requireNothingWritten();
    }

    @Test
    void aFileWithoutSizeOrHashIsRefused() throws IOException {
        onlyTheListSaysAnything();
        answer(hub.list().replace("\"size\": 70000, ", ""));
        assertThat(pulls.refusal()).contains("gives tokenizer.json no size");
        answer(hub.list().replaceFirst("(\"tokenizer.json\", \"size\": 70000), \"blobId\": \"\\w+\"", "$1"));
        assertThat(pulls.refusal()).contains("gives tokenizer.json no hash");
        requireNothingWritten();
    }

    @Test
    void anotherCommitThanTheOneAskedForIsRefused() {
        ModelName other = ModelName.parse("owner/name@" + "12".repeat(20)).orElseThrow();
        assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> pulls.pull(other, (_, _) -> {})))
                .isInstanceOf(HubException.class)
                .hasMessageContaining("another commit, " + LoopbackHub.COMMIT);
    }
}
