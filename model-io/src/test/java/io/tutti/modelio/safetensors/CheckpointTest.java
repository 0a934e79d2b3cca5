package io.tutti.modelio.safetensors;

import static io.tutti.modelio.Models.safetensors;
import static io.tutti.modelio.Models.write;
import static io.tutti.modelio.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.modelio.Golden;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CheckpointTest {
    @TempDir
    Path dir;

    @Test
    void aWindowIsReadOnlySharedAndGoneOnceClosed() throws Exception {
        write(dir, "model.safetensors", tensors("a", "b"));
        Checkpoint checkpoint = Checkpoint.open(dir);
        TensorWindow window = checkpoint.map("b");
        MemorySegment data = window.data();
        assertThat(data.byteSize()).isEqualTo(1);
        assertThat(data.isReadOnly()).isTrue();
        assertThat(data.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 1);
        Thread other = Thread.ofPlatform()
                .start(() -> assertThat(data.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 1));
        other.join();
        assertThat(data.isAccessibleBy(other)).isTrue();
        window.close();
        window.close();
        assertThat(data.scope().isAlive()).isFalse();
        assertThatThrownBy(() -> data.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anEmptyTensorMapsToNothing() {
        write(
                dir,
                "model.safetensors",
                safetensors("{\"e\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}"));
        try (TensorWindow window = Checkpoint.open(dir).map("e")) {
            assertThat(window.data().byteSize()).isZero();
        }
    }

    @Test
    void aFileThatShrankIsNotMapped() throws Exception {
        Path file = write(dir, "model.safetensors", tensors("a"));
        Checkpoint checkpoint = Checkpoint.open(dir);
        byte[] bytes = Files.readAllBytes(file);
        write(dir, "model.safetensors", Arrays.copyOf(bytes, bytes.length - 1));
        assertRefused(() -> checkpoint.map("a"), file.toString(), "shorter");
        Files.delete(file);
        assertRefused(() -> checkpoint.map("a"), file.toString(), "no such file");
    }

    @Test
    void aMissingTensorIsNamed() {
        write(dir, "model.safetensors", tensors("a"));
        Checkpoint checkpoint = Checkpoint.open(dir);
        assertThat(checkpoint.contains("a")).isTrue();
        assertThat(checkpoint.contains("c")).isFalse();
        assertThat(checkpoint.directory()).isEqualTo(dir);
        assertRefused(() -> checkpoint.tensor("c"), dir.toString(), "no tensor \"c\"");
        assertRefused(() -> checkpoint.map("c"), "no tensor \"c\"");
    }

    @Test
    void shardsAreOneCheckpoint() {
        write(dir, "one.safetensors", tensors("a", "b"));
        write(dir, "two.safetensors", tensors("c"));
        index("{\"a\":\"one.safetensors\",\"b\":\"one.safetensors\",\"c\":\"two.safetensors\"}");
        Checkpoint checkpoint = Checkpoint.open(dir);
        assertThat(checkpoint.names()).containsExactly("a", "b", "c");
        assertThat(checkpoint.tensor("c").file()).isEqualTo(dir.resolve("two.safetensors"));
        assertThat(Checkpoint.open(Golden.model("sharded-mixed")).names()).hasSizeGreaterThan(10);
    }

    @Test
    void theSingleFileGoesBeforeTheIndex() {
        write(dir, "model.safetensors", tensors("a"));
        index("{\"z\":\"nowhere.safetensors\"}");
        assertThat(Checkpoint.open(dir).names()).containsExactly("a");
    }

    @Test
    void aLoneFileNeedsNoIndex() throws Exception {
        for (String name : new String[] {"model-00001-of-00001.safetensors", "model.fp16.safetensors"}) {
            Path file = write(dir, name, tensors("a"));
            assertThat(Checkpoint.open(dir).names()).containsExactly("a");
            assertRefused(() -> Checkpoint.open(dir).tensor("b"), file.toString(), "no tensor \"b\"");
            Files.delete(file);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"logits.safetensors", "reference.safetensors", "vae.fp16.safetensors", "consolidated.safetensors"
            })
    void aLoneFileOfAnotherNameIsNoModel(String name) {
        write(dir, name, tensors("a"));
        assertRefused(() -> Checkpoint.open(dir), dir.toString(), "has no model.safetensors; there is", name);
    }

    @Test
    void shardsWithoutAnIndexAreRefused() {
        write(dir, "model-00001-of-00002.safetensors", tensors("a"));
        assertRefused(() -> Checkpoint.open(dir), "model-00001-of-00002", "a shard", "model.safetensors.index.json");
        write(dir, "model-00002-of-00002.safetensors", tensors("b"));
        assertRefused(() -> Checkpoint.open(dir), "model-00001-of-00002", "model.safetensors.index.json");
    }

    @Test
    void severalFilesOfOtherNamesAreRefused() {
        write(dir, "x.safetensors", tensors("a"));
        write(dir, "y.safetensors", tensors("b"));
        assertRefused(() -> Checkpoint.open(dir), "several weight files", "x.safetensors");
    }

    @Test
    void anAdapterIsNoModel() {
        write(dir, "adapter_model.safetensors", tensors("a"));
        assertRefused(() -> Checkpoint.open(dir), "adapter_model.safetensors", "merge");
    }

    @ParameterizedTest
    @CsvSource({
        "pytorch_model.bin,PyTorch",
        "consolidated.00.pth,PyTorch",
        "model.pt,PyTorch",
        "model.Q4_K_M.gguf,GGUF",
        "README.md,model.safetensors"
    })
    void otherWeightsAreNamed(String file, String named) {
        write(dir, file, "x");
        assertRefused(() -> Checkpoint.open(dir), dir.toString(), "has no model.safetensors", named);
    }

    @Test
    void directoriesWithoutWeightsAreRefused() {
        assertRefused(() -> Checkpoint.open(dir), "has no model.safetensors", "is empty");
        assertRefused(() -> Checkpoint.open(dir.resolve("x")), "no such directory");
    }

    @Test
    void aPointerInPlaceOfAShardIsNamed() {
        write(dir, "one.safetensors", "version https://git-lfs\noid sha256:0\nsize 1\n");
        index("{\"a\":\"one.safetensors\"}");
        assertRefused(() -> Checkpoint.open(dir), "one.safetensors", "Git LFS pointer");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../model.safetensors",
                "..",
                "a/b.safetensors",
                "a\\\\b.safetensors",
                "/etc/passwd",
                "C:x.safetensors",
                "",
                "a\\u0000b",
                "x..y"
            })
    void anIndexNamesPlainFilesOnly(String shard) {
        index("{\"a\":\"" + shard + "\"}");
        assertRefused(() -> Checkpoint.open(dir), "model.safetensors.index.json", "\"a\"", "plain file name");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{\"a\":\"one.safetensors\",\"b\":\"one.safetensors\",\"c\":\"three.safetensors\"}|three.safetensors",
                "{\"a\":\"one.safetensors\",\"a\":\"one.safetensors\"}|uplicate",
                "{\"a\":1}|number",
                "{\"a\":null}|null",
                "{\"a\":{}}|object",
                "{}|weight_map",
                "[]|list",
                "null|null",
            })
    void anIndexThatDoesNotMatchIsRefused(String weightMap, String named) {
        write(dir, "one.safetensors", tensors("a", "b"));
        write(dir, "two.safetensors", tensors("c"));
        index(weightMap);
        assertRefused(() -> Checkpoint.open(dir), dir.toString(), named);
    }

    /** The reference, transformers, does not look at what index and shards say of a tensor that a model lacks. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{\"a\":\"one.safetensors\",\"b\":\"two.safetensors\",\"c\":\"two.safetensors\"}|b|tensor \"b\" is in \"one.safetensors\", the index says \"two.safetensors\"",
                "{\"a\":\"one.safetensors\",\"c\":\"two.safetensors\"}|b|tensor \"b\" is in \"one.safetensors\", which the index does not say",
                "{\"a\":\"one.safetensors\",\"b\":\"one.safetensors\",\"c\":\"two.safetensors\",\"d\":\"two.safetensors\"}|d|says that tensor \"d\" is in \"two.safetensors\", which does not hold it",
            })
    void aTensorAboutWhichIndexAndShardsDisagreeIsRefusedOnlyWhereItIsUsed(
            String weightMap, String tensor, String problem) {
        write(dir, "one.safetensors", tensors("a", "b"));
        write(dir, "two.safetensors", tensors("c"));
        index(weightMap);
        Checkpoint checkpoint = Checkpoint.open(dir);

        assertThat(checkpoint.names()).contains("a", "c").doesNotContain(tensor);
        assertThat(checkpoint.contains(tensor)).isTrue();
        assertThat(checkpoint.notes())
                .containsExactly("model.safetensors.index.json: " + problem + "; the model does not use it");
        assertThat(checkpoint.tensor("a").bytes()).isEqualTo(1);
        assertRefused(() -> checkpoint.tensor(tensor), "model.safetensors.index.json: " + problem);
        assertRefused(() -> checkpoint.map(tensor), problem);
    }

    @Test
    void aTensorInTwoShardsIsRefusedWhereItIsUsed() {
        write(dir, "one.safetensors", tensors("a"));
        write(dir, "two.safetensors", tensors("a", "b"));
        index("{\"a\":\"one.safetensors\",\"b\":\"two.safetensors\"}");
        Checkpoint checkpoint = Checkpoint.open(dir);

        assertThat(checkpoint.names()).containsExactly("b");
        assertRefused(() -> checkpoint.tensor("a"), "\"a\"", "two.safetensors", "one.safetensors");
    }

    @Test
    void severalTensorsThatNobodyUsesAreOneNote() {
        write(dir, "one.safetensors", tensors("a"));
        index(
                "{\"a\":\"one.safetensors\",\"x\":\"one.safetensors\",\"y\":\"one.safetensors\",\"z\":\"one.safetensors\"}");

        assertThat(Checkpoint.open(dir).notes())
                .containsExactly("model.safetensors.index.json: says that tensor \"x\" is in \"one.safetensors\", which"
                        + " does not hold it, and 2 more such tensors; the model does not use them");
    }

    @ParameterizedTest
    @ValueSource(strings = {"./one.safetensors", "././one.safetensors"})
    void aShardsNameMayBeginWithADot(String shard) {
        write(dir, "one.safetensors", tensors("a"));
        index("{\"a\":\"" + shard + "\"}");

        assertThat(Checkpoint.open(dir).tensor("a").file()).isEqualTo(dir.resolve("one.safetensors"));
        assertThat(Checkpoint.open(dir).notes()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\"metadata\":null,", "\"metadata\":{},", "\"metadata\":{\"total_size\":\"many\"},"})
    void whatAnIndexSaysBesidesPlacesIsPassedOver(String metadata) {
        write(dir, "one.safetensors", tensors("a"));
        write(dir, "model.safetensors.index.json", "{" + metadata + "\"weight_map\":{\"a\":\"one.safetensors\"}}");

        assertThat(Checkpoint.open(dir).names()).containsExactly("a");
    }

    @Test
    void shardsMayBeSymbolicLinks() throws IOException {
        Path elsewhere = Files.createDirectory(dir.resolve("blobs"));
        write(elsewhere, "0123", tensors("a"));
        Files.createSymbolicLink(dir.resolve("one.safetensors"), Path.of("blobs", "0123"));
        index("{\"a\":\"one.safetensors\"}");

        assertThat(Checkpoint.open(dir).names()).containsExactly("a");
    }

    @Test
    void tensorsOfAModelWithoutAnOutputProjectionGetACausalModelsNames() {
        write(
                dir,
                "model.safetensors",
                tensors("embed_tokens.weight", "layers.0.mlp.up_proj.weight", "norm.weight", "x"));
        Checkpoint checkpoint = Checkpoint.open(dir);

        assertThat(checkpoint.names())
                .containsExactly(
                        "model.embed_tokens.weight", "model.layers.0.mlp.up_proj.weight", "model.norm.weight", "x");
        assertThat(checkpoint.tensor("model.norm.weight").name()).isEqualTo("model.norm.weight");
        try (TensorWindow window = checkpoint.map("model.norm.weight")) {
            assertThat(window.data().toArray(ValueLayout.JAVA_BYTE)).containsExactly(2);
        }
        assertThat(checkpoint.notes()).singleElement().asString().contains("lack \"model.\"");
    }

    @Test
    void aNameThatIsThereAlreadyIsGivenToNoOtherTensor() {
        write(dir, "model.safetensors", tensors("model.norm.weight", "norm.weight", "model.lm_head.weight"));
        Checkpoint checkpoint = Checkpoint.open(dir);

        assertThat(checkpoint.names()).containsExactly("model.norm.weight", "norm.weight", "lm_head.weight");
        try (TensorWindow window = checkpoint.map("model.norm.weight")) {
            assertThat(window.data().toArray(ValueLayout.JAVA_BYTE)).containsExactly(0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{}", "{\"metadata\":{}}", "{\"weight_map\":", "7"})
    void anIndexThatIsNoneIsRefused(String text) {
        write(dir, "model.safetensors.index.json", text);
        assertRefused(() -> Checkpoint.open(dir), "model.safetensors.index.json");
    }

    @Test
    void shardsOfDifferentModelsAreRefused() {
        write(dir, "one.safetensors", withMetadata("a", "int4-g32-sym"));
        write(dir, "two.safetensors", withMetadata("b", "int4-g64-sym"));
        index("{\"a\":\"one.safetensors\",\"b\":\"two.safetensors\"}");
        assertRefused(() -> Checkpoint.open(dir), "quant", "int4-g32-sym", "int4-g64-sym");
        write(dir, "two.safetensors", withMetadata("b", "int4-g32-sym"));
        assertThat(Checkpoint.open(dir).metadata()).containsEntry("quant", "int4-g32-sym");
    }

    private void index(String weightMap) {
        write(
                dir,
                "model.safetensors.index.json",
                "{\"metadata\":{\"total_size\":3},\"weight_map\":" + weightMap + "}");
    }

    /** One byte a tensor, whose value is its place. */
    private static byte[] tensors(String... names) {
        StringBuilder header = new StringBuilder("{");
        byte[] data = new byte[names.length];
        for (int i = 0; i < names.length; i++) {
            header.append(i == 0 ? "" : ",")
                    .append("\"%s\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[%d,%d]}"
                            .formatted(names[i], i, i + 1));
            data[i] = (byte) i;
        }
        return safetensors(header + "}", data);
    }

    private static byte[] withMetadata(String name, String quant) {
        return safetensors(
                "{\"__metadata__\":{\"quant\":\"%s\"},\"%s\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}"
                        .formatted(quant, name));
    }
}
