package io.tutti.modelio.quantize;

import static io.tutti.modelio.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.modelio.Golden;
import io.tutti.modelio.Models;
import io.tutti.modelio.config.TextConfig;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.int4.Int4;
import io.tutti.modelio.quantize.ModelQuantizer.Progress;
import io.tutti.modelio.safetensors.Checkpoint;
import io.tutti.modelio.safetensors.SafetensorsWriter;
import io.tutti.modelio.safetensors.SafetensorsWriter.Declaration;
import io.tutti.modelio.safetensors.TensorInfo;
import io.tutti.modelio.safetensors.TensorWindow;
import io.tutti.modelio.weights.DenseWeight;
import io.tutti.modelio.weights.Floats;
import io.tutti.modelio.weights.Int4Weight;
import io.tutti.modelio.weights.QuantizedWeights;
import io.tutti.modelio.weights.TiedHead;
import io.tutti.modelio.weights.Weight;
import io.tutti.modelio.weights.Weights;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelQuantizerTest {
    private static void quantize(Path model, Path out, int group, Progress progress) {
        Weights weights = Weights.open(model, Models.head(false));
        ModelQuantizer.quantize(model, weights, Models.projections(model), out, group, progress);
    }

    private static final Progress SILENT = (_, _) -> {};
    private static final String UP = "model.layers.0.mlp.up_proj.weight";

    @TempDir
    Path dir;

    @ParameterizedTest
    @CsvSource({"tiny-llama,4", "sharded-mixed,2", "qwen2-bf16-tied,4"})
    void theDirectoryHoldsTheModelInInt4(String model, int group) throws IOException {
        Path source = Golden.model(model);
        Path out = dir.resolve("out");
        quantize(source, out, group, SILENT);

        assertThat(TextConfig.load(out)).isEqualTo(TextConfig.load(source));
        TiedHead.Names head = Models.head(model.endsWith("tied"));
        Set<String> projections = Models.projections(source);
        Weights floats = Weights.open(source, head);
        Weights int4 = Weights.open(out, head);
        assertThat(int4.int4Group()).hasValue(group);
        assertThat(int4.checkpoint().metadata())
                .containsAllEntriesOf(floats.checkpoint().metadata());
        for (String name : floats.checkpoint().names()) {
            TensorInfo tensor = floats.checkpoint().tensor(name);
            if (projections.contains(name)) {
                assertThat(int4.checkpoint().contains(name)).isFalse();
                assertSameWeight(QuantizedWeights.of(floats, projections, group), int4, tensor);
            } else {
                assertThat(int4.checkpoint().tensor(name).dtype()).isEqualTo(tensor.dtype());
                assertThat(bytes(int4.checkpoint(), name)).isEqualTo(bytes(floats.checkpoint(), name));
            }
        }
        if (Files.exists(source.resolve("generation_config.json"))) {
            assertThat(out.resolve("generation_config.json"))
                    .hasSameBinaryContentAs(source.resolve("generation_config.json"));
        }
    }

    @Test
    void theGoldenInt4ModelsAreOneModel() {
        Path packed = Golden.model("tiny-int4");
        Path twin = Golden.model("tiny-int4-f32");
        Set<String> projections = Models.projections(twin);
        Weights int4 = Weights.open(packed, Models.head(false));
        Weights floats = Weights.open(twin, Models.head(false));
        int group = int4.int4Group().orElseThrow();
        int compared = 0;
        for (String name : floats.checkpoint().names()) {
            if (!projections.contains(name)) {
                continue;
            }
            TensorInfo tensor = floats.checkpoint().tensor(name);
            int rows = (int) (long) tensor.shape().get(0);
            int cols = (int) (long) tensor.shape().get(1);
            try (Int4Weight q = (Int4Weight) int4.matrix(name, rows, cols);
                    DenseWeight f = (DenseWeight) floats.matrix(name, rows, cols)) {
                byte[] packedRows = q.qweight().toArray(ValueLayout.JAVA_BYTE);
                short[] scales = q.scales().toArray(Floats.HALF);
                float[] row = new float[cols];
                float[] expected = new float[cols];
                for (int r = 0; r < rows; r++) {
                    byte[] packedRow = Arrays.copyOfRange(packedRows, r * cols / 2, (r + 1) * cols / 2);
                    short[] rowScales = Arrays.copyOfRange(scales, r * cols / group, (r + 1) * cols / group);
                    Int4.dequantizeRow(packedRow, rowScales, group, row);
                    f.row(r, expected);
                    assertThat(row).isEqualTo(expected);
                    compared++;
                }
            }
        }
        assertThat(compared).isPositive();
    }

    @Test
    void companionsComeAlongAndStrangersDoNot() {
        Path source = model(Map.of(UP, new float[] {1, 2, 3, 4}));
        Models.write(source, "tokenizer.json", "{\"a\": 1}");
        Models.write(source, "generation_config.json", "{\"eos_token_id\": 3}");
        Models.write(source, "training.log", "x");
        Path out = dir.resolve("out");
        quantize(source, out, 2, SILENT);
        assertThat(out.toFile().list())
                .containsExactlyInAnyOrder(
                        "config.json", "generation_config.json", "tokenizer.json", "model.safetensors");
        assertThat(out.resolve("tokenizer.json")).hasContent("{\"a\": 1}");
        assertThat(TextConfig.load(out).eosTokenIds()).containsExactly(3);
    }

    @Test
    void progressCountsTheBytesOfTheSource() {
        Path source = model(Map.of(UP, new float[] {1, 2, 3, 4}, "model.norm.weight", new float[] {1, 2}));
        List<Long> done = new ArrayList<>();
        quantize(source, dir.resolve("out"), 2, (doneBytes, allBytes) -> {
            assertThat(allBytes).isEqualTo(24);
            done.add(doneBytes);
        });
        assertThat(done).hasSize(2).isSorted().last().isEqualTo(24L);
    }

    @Test
    void whatIsThereIsLeftAlone() throws IOException {
        Path source = model(Map.of(UP, new float[] {1, 2, 3, 4}));
        assertRefused(() -> quantize(source, source, 2, SILENT), source.toString(), "not empty");
        Path file = Files.writeString(dir.resolve("file"), "x");
        assertRefused(() -> quantize(source, file, 2, SILENT), "is a file");
        assertThat(file).hasContent("x");
        Path empty = Files.createDirectory(dir.resolve("empty"));
        quantize(source, empty, 2, SILENT);
        assertThat(empty.resolve("config.json")).exists();
    }

    @Test
    void nothingIsLeftOfAFailure() {
        Path source = model(Map.of(UP, new float[] {1, 2, 3, Float.NaN}));
        Path out = dir.resolve("out");
        assertRefused(() -> quantize(source, out, 2, SILENT), UP, "NaN");
        Path fine = model(Map.of(UP, new float[] {1, 2, 3, 4}));
        assertThatThrownBy(() -> quantize(fine, out, 2, (_, _) -> {
                    throw new IllegalStateException("stop");
                }))
                .hasMessage("stop");
        assertThat(dir.toFile().list()).containsExactly("source");
    }

    @Test
    void modelsThatCannotBeQuantizedAreRefused() {
        Path out = dir.resolve("out");
        assertRefused(() -> quantize(Golden.model("tiny-int4"), out, 4, SILENT), "int4 model already");
        assertRefused(() -> quantize(Golden.model("bigram"), out, 4, SILENT), "bigram", "a model with layers");
        Path none = model(Map.of("model.norm.weight", new float[] {1}));
        Weights bare = Weights.open(none, Models.head(false));
        assertRefused(() -> ModelQuantizer.quantize(none, bare, Set.of(UP), out, 4, SILENT), "no projection");
        Path odd = model(Map.of(UP, new float[] {1, 2, 3, 4}));
        assertRefused(() -> quantize(odd, out, 3, SILENT), UP, "multiple of the group, 3");
        assertThat(out).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({"'[4]'", "'[2,2,1]'", "'[0,4]'"})
    void aProjectionIsAMatrix(String shape) {
        Path source = model(Map.of());
        int bytes = shape.contains("0") ? 0 : 16;
        Models.write(
                source,
                "model.safetensors",
                Models.safetensors(
                        "{\"%s\":{\"dtype\":\"F32\",\"shape\":%s,\"data_offsets\":[0,%d]}}".formatted(UP, shape, bytes),
                        new byte[bytes]));
        assertRefused(() -> quantize(source, dir.resolve("out"), 2, SILENT), UP, "matrix");
    }

    /** A directory with one row of values a tensor: [1, n] for projections, [n] for others. */
    private Path model(Map<String, float[]> tensors) {
        try {
            Path source = Files.createDirectories(dir.resolve("source"));
            Models.write(source, "config.json", Models.CONFIG);
            List<Declaration> declarations = new ArrayList<>();
            tensors.forEach((name, values) -> declarations.add(new Declaration(
                    name,
                    Dtype.F32,
                    name.endsWith("_proj.weight")
                            ? List.of(1L, (long) values.length)
                            : List.of((long) values.length))));
            SafetensorsWriter.write(source.resolve("model.safetensors"), Map.of(), declarations, writer -> {
                for (Map.Entry<String, float[]> tensor : tensors.entrySet()) {
                    writer.put(tensor.getKey(), 0, tensor.getValue());
                }
            });
            return source;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void assertSameWeight(QuantizedWeights atLoad, Weights fromFile, TensorInfo tensor) {
        int rows = (int) (long) tensor.shape().get(0);
        int cols = (int) (long) tensor.shape().get(1);
        try (Weight a = atLoad.matrix(tensor.name(), rows, cols);
                Weight b = fromFile.matrix(tensor.name(), rows, cols)) {
            assertThat(a).isInstanceOf(Int4Weight.class);
            assertThat(b).isInstanceOf(Int4Weight.class);
            assertThat(((Int4Weight) a).qweight().mismatch(((Int4Weight) b).qweight()))
                    .isEqualTo(-1);
            assertThat(((Int4Weight) a).scales().mismatch(((Int4Weight) b).scales()))
                    .isEqualTo(-1);
        }
    }

    private static byte[] bytes(Checkpoint checkpoint, String name) {
        try (TensorWindow window = checkpoint.map(name)) {
            return window.data().toArray(ValueLayout.JAVA_BYTE);
        }
    }
}
