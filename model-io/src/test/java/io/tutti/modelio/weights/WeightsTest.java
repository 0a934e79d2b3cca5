package io.tutti.modelio.weights;

import static io.tutti.modelio.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.modelio.Golden;
import io.tutti.modelio.Models;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.int4.Int4;
import io.tutti.modelio.safetensors.Checkpoint;
import io.tutti.modelio.safetensors.SafetensorsWriter;
import io.tutti.modelio.safetensors.SafetensorsWriter.Declaration;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WeightsTest {
    private static final String UP = "model.layers.0.mlp.up_proj.weight";
    private static final Map<String, String> INT4 = Map.of("quant", "int4-g2-sym");

    @TempDir
    Path dir;

    @Test
    void metadataOfAQuantizedModelWithoutQuantizedTensorsIsRefused() {
        write(INT4, floats("x", 1, 2, 1, 2));
        assertRefused(this::open, file().toString(), "int4-g2-sym", "no tensor is quantized");
    }

    @Test
    void aMatrixIsHandedOutAsItIsStored() {
        write(Map.of(), floats("x", 2, 3, 1, 2, 3, 4, 5, 6));
        try (Weight weight = open().matrix("x", 2, 3)) {
            assertThat(weight.name()).isEqualTo("x");
            assertThat(weight.file()).isEqualTo(file());
            assertThat(weight.rows()).isEqualTo(2);
            assertThat(weight.cols()).isEqualTo(3);
            assertThat(weight).isInstanceOfSatisfying(DenseWeight.class, dense -> {
                assertThat(dense.dtype()).isEqualTo(Dtype.F32);
                float[] row = new float[3];
                dense.row(1, row);
                assertThat(row).containsExactly(4, 5, 6);
                MemorySegment data = dense.data();
                dense.close();
                assertThat(data.scope().isAlive()).isFalse();
            });
        }
    }

    @ParameterizedTest
    @CsvSource({"F16,3C00C000", "BF16,3F80C000"})
    void halvesAreWidened(Dtype dtype, String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        byte[] little = {bytes[1], bytes[0], bytes[3], bytes[2]};
        write(Map.of(), given("v", dtype, List.of(2L), little), given("m", dtype, List.of(1L, 2L), little));
        assertThat(open().vector("v", 2)).containsExactly(1f, -2f);
        try (DenseWeight weight = (DenseWeight) open().matrix("m", 1, 2)) {
            float[] row = new float[2];
            weight.row(0, row);
            assertThat(row).containsExactly(1f, -2f);
        }
    }

    @Test
    void wideningStartsAndEndsWhereItIsTold() {
        MemorySegment data = MemorySegment.ofArray(new byte[] {0, 0, 0x00, 0x3C, 0x00, 0x40, 0, 0});
        float[] to = {9, 9, 9, 9};
        Floats.widen(data, Dtype.F16, 1, to, 1, 2);
        assertThat(to).containsExactly(9, 1, 2, 9);
        assertThatThrownBy(() -> Floats.widen(data, Dtype.U8, 0, to, 0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("U8");
    }

    @Test
    void valuesThatAreNotFiniteAreRefusedByTensorAndElement() {
        write(
                Map.of(),
                floats("m", 2, 2, 1, 2, 3, Float.POSITIVE_INFINITY),
                given("v", Dtype.BF16, List.of(2L), new byte[] {0, 0, (byte) 0xC0, 0x7F}));
        assertRefused(() -> open().vector("v", 2), file().toString(), "\"v\"", "NaN", "element 1");
        try (DenseWeight weight = (DenseWeight) open().matrix("m", 2, 2)) {
            weight.row(0, new float[2]);
            assertRefused(() -> weight.row(1, new float[2]), "\"m\"", "Infinity", "element 3");
        }
    }

    @ParameterizedTest
    @CsvSource({"2,4", "3,3", "3,2"})
    void anotherShapeIsRefused(int rows, int cols) {
        write(Map.of(), floats("x", 2, 3, 1, 2, 3, 4, 5, 6));
        assertRefused(
                () -> open().matrix("x", rows, cols),
                file().toString(),
                "\"x\"",
                "[2, 3]",
                "[" + rows + ", " + cols + "]");
        assertRefused(() -> open().vector("x", 6), "\"x\"", "[2, 3]", "[6]");
    }

    @Test
    void typesThatAreNoWeightsAreRefused() {
        write(Map.of(), given("x", Dtype.F64, List.of(1L, 1L), new byte[8]));
        assertRefused(() -> open().matrix("x", 1, 1), "\"x\"", "F64", "accepted: F32, F16, BF16");
        assertRefused(() -> open().vector("y", 1), "no tensor \"y\"");
    }

    @Test
    void int4ComesAsNibblesAndScales() {
        write(INT4, qweight(UP, 1, 4, 0x21, 0x43), scales(UP, 1, 2, 0x3C00, 0x0001));
        Weights weights = open();
        assertThat(weights.int4Group()).hasValue(2);
        Int4Weight int4 = (Int4Weight) weights.matrix(UP, 1, 4);
        assertThat(int4.name()).isEqualTo(UP);
        assertThat(int4.file()).isEqualTo(file());
        assertThat(int4.rows()).isEqualTo(1);
        assertThat(int4.cols()).isEqualTo(4);
        assertThat(int4.group()).isEqualTo(2);
        assertThat(int4.qweight().toArray(ValueLayout.JAVA_BYTE)).containsExactly(0x21, 0x43);
        assertThat(int4.scales().toArray(Floats.HALF)).containsExactly((short) 0x3C00, (short) 1);
        int4.close();
        assertThat(int4.qweight().scope().isAlive()).isFalse();
        assertThat(int4.scales().scope().isAlive()).isFalse();
        assertThat(weights.unusedNames()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0x8000, 0xBC00, 0x7C00, 0x7E00, 0xFC00})
    void scalesThatAreNegativeOrNotFiniteAreRefused(int bits) {
        write(INT4, qweight(UP, 1, 4, 0, 0), scales(UP, 1, 2, 0x3C00, bits));
        assertRefused(() -> open().matrix(UP, 1, 4), UP + ".scales", Integer.toHexString(bits), "element 1", "finite");
    }

    @Test
    void zeroAndTheLargestScaleAreAccepted() {
        write(INT4, qweight(UP, 1, 4, 0, 0), scales(UP, 1, 2, 0x0000, 0x7BFF));
        open().matrix(UP, 1, 4).close();
    }

    @Test
    void malformedInt4IsRefused() {
        write(INT4, qweight(UP, 1, 4, 0, 0));
        assertRefused(() -> open().matrix(UP, 1, 4), "no tensor", UP + ".scales");
        write(INT4, scales(UP, 1, 2, 0, 0));
        assertRefused(() -> open().matrix(UP, 1, 4), "no tensor", UP);
        write(INT4, qweight(UP, 1, 4, 0, 0), scales(UP, 1, 1, 0));
        assertRefused(() -> open().matrix(UP, 1, 4), ".scales", "[1, 1]", "[1, 2]");
        write(INT4, qweight(UP, 1, 6, 0, 0, 0), scales(UP, 1, 2, 0, 0));
        assertRefused(() -> open().matrix(UP, 1, 4), ".qweight", "[1, 3]", "[1, 2]");
        write(INT4, given(UP + ".qweight", Dtype.I8, List.of(1L, 2L), new byte[2]), scales(UP, 1, 2, 0, 0));
        assertRefused(() -> open().matrix(UP, 1, 4), ".qweight", "I8", "U8");
        write(INT4, qweight(UP, 1, 4, 0, 0), given(UP + ".scales", Dtype.BF16, List.of(1L, 2L), new byte[4]));
        assertRefused(() -> open().matrix(UP, 1, 4), ".scales", "BF16", "F16");
        write(INT4, qweight(UP, 1, 4, 0, 0), scales(UP, 1, 2, 0, 0), floats(UP, 1, 4, 1, 2, 3, 4));
        assertRefused(() -> open().matrix(UP, 1, 4), UP, "twice");
        write(Map.of("quant", "int4-g4-sym"), qweight(UP, 1, 6, 0, 0, 0), scales(UP, 1, 1, 0));
        assertRefused(() -> open().matrix(UP, 1, 6), UP, "6 columns", "multiple of the group, 4");
        write(Map.of("quant", "int4-g1-sym"), qweight(UP, 1, 2, 0), scales(UP, 1, 3, 0, 0, 0));
        assertRefused(() -> open().matrix(UP, 1, 3), UP, "3 columns", "even");
    }

    @Test
    void theMetadataSaysWhetherAFileIsInt4() {
        write(Map.of(), qweight(UP, 1, 4, 0, 0), scales(UP, 1, 2, 0, 0));
        assertRefused(this::open, UP + ".qweight", "metadata", "int4-g32-sym");
        write(Map.of("quant", "int8"), floats("x", 1, 1, 1));
        assertRefused(this::open, "\"int8\"", "int4-g32-sym");
        write(Map.of("format", "pt"), floats("x", 1, 1, 1));
        assertThat(open().int4Group()).isEmpty();
    }

    @Test
    void whatNobodyAskedForIsUnused() {
        write(
                Map.of(),
                floats("x", 1, 1, 1),
                floats("b", 1, 1, 1),
                floats("a", 1, 1, 1),
                floats("lm_head.weight", 1, 1, 1),
                floats("model.embed_tokens.weight", 1, 1, 1),
                floats("model.layers.0.self_attn.rotary_emb.inv_freq", 1, 1, 1));
        Weights weights = open();
        weights.matrix("x", 1, 1).close();
        assertThat(weights.unusedNames()).containsExactly("a", "b", "lm_head.weight", "model.embed_tokens.weight");
        Weights tied = Weights.open(dir, Models.head(true));
        tied.matrix("x", 1, 1).close();
        assertThat(tied.unusedNames()).containsExactly("a", "b", "model.embed_tokens.weight");
        assertThat(tied.checkpoint().names()).hasSize(6);
    }

    @Test
    void goldenWeightsAreFinite() {
        for (String model : List.of("mha-f32", "gqa-f16-wide-heads", "mqa-bf16-tied", "sharded-mixed")) {
            Weights weights = Weights.open(Golden.model(model), Models.head(model.endsWith("tied")));
            List<Long> shape = weights.tensor("model.embed_tokens.weight").shape();
            int rows = Math.toIntExact(shape.getFirst());
            int cols = Math.toIntExact(shape.getLast());
            try (DenseWeight embedding = (DenseWeight) weights.matrix("model.embed_tokens.weight", rows, cols)) {
                float[] row = new float[cols];
                for (int r = 0; r < rows; r++) {
                    embedding.row(r, row);
                }
            }
            assertThat(weights.vector("model.norm.weight", cols)).hasSize(cols);
        }
    }

    @Test
    void quantizedAtLoadIsTheInt4Partner() {
        write(Map.of(), floats(UP, 2, 4, 0.7f, -1.4f, 0, 0.29995f, 1, 2, 3, 7), floats("n", 1, 1, 3));
        QuantizedWeights quantized = QuantizedWeights.of(open(), Set.of(UP), 4);
        try (Int4Weight int4 = (Int4Weight) quantized.matrix(UP, 2, 4)) {
            assertThat(int4.qweight().toArray(ValueLayout.JAVA_BYTE)).containsExactly((byte) 0x94, 0x20, 0x21, 0x73);
            assertThat(int4.scales().toArray(Floats.HALF)).containsExactly((short) 0x3266, (short) 0x3C00);
            assertThat(int4.group()).isEqualTo(4);
        }
        try (Weight other = quantized.matrix("n", 1, 1)) {
            assertThat(other).isInstanceOf(DenseWeight.class);
        }
    }

    @Test
    void everyRowAndGroupIsQuantizedInItsPlace() {
        int rows = 3;
        int cols = 8;
        int group = 2;
        float[] values = new float[rows * cols];
        for (int i = 0; i < values.length; i++) {
            values[i] = (i % 5 - 2) * (1 + i);
        }
        write(Map.of(), floats(UP, rows, cols, values));
        try (Int4Weight int4 =
                (Int4Weight) QuantizedWeights.of(open(), Set.of(UP), group).matrix(UP, rows, cols)) {
            byte[] packed = new byte[cols / 2];
            short[] scales = new short[cols / group];
            for (int r = 0; r < rows; r++) {
                Int4.quantizeRow(Arrays.copyOfRange(values, r * cols, (r + 1) * cols), group, packed, scales);
                assertThat(int4.qweight()
                                .asSlice((long) r * packed.length, packed.length)
                                .toArray(ValueLayout.JAVA_BYTE))
                        .isEqualTo(packed);
                assertThat(int4.scales()
                                .asSlice(2L * r * scales.length, 2L * scales.length)
                                .toArray(Floats.HALF))
                        .isEqualTo(scales);
            }
        }
    }

    @Test
    void vectorsPassThroughQuantizing() {
        write(Map.of(), given("v", Dtype.BF16, List.of(1L), new byte[] {(byte) 0x80, 0x3F}));
        assertThat(QuantizedWeights.of(open(), Set.of(UP), 32).vector("v", 1)).containsExactly(1f);
    }

    @Test
    void whatDoesNotQuantizeIsRefused() {
        write(Map.of(), floats(UP, 1, 6, 1, 2, 3, 4, 5, 6));
        assertRefused(() -> QuantizedWeights.of(open(), Set.of(UP), 4).matrix(UP, 1, 6), UP, "6 columns", "group, 4");
        write(Map.of(), floats(UP, 1, 3, 1, 2, 3));
        assertRefused(() -> QuantizedWeights.of(open(), Set.of(UP), 3).matrix(UP, 1, 3), UP, "3 columns", "even");
        write(Map.of(), floats(UP, 2, 2, 1, 2, 3, 458_640));
        assertRefused(
                () -> QuantizedWeights.of(open(), Set.of(UP), 1).matrix(UP, 2, 2), UP, "row 1", "column 1", "458640");
        write(Map.of(), floats(UP, 1, 2, 1, Float.NaN));
        assertRefused(() -> QuantizedWeights.of(open(), Set.of(UP), 2).matrix(UP, 1, 2), UP, "NaN", "element 1");
        write(INT4, qweight(UP, 1, 4, 0, 0), scales(UP, 1, 2, 0, 0));
        assertRefused(
                () -> QuantizedWeights.of(open(), Set.of(UP), 2), dir.toString(), "int4 model already", "groups of 2");
        assertThatThrownBy(() -> QuantizedWeights.of(open(), Set.of(UP), 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void ofSeveralRowsThatDoNotQuantizeTheFirstIsRefused() {
        float[] values = new float[80 * 2];
        values[2 * 70] = Float.NaN;
        values[2 * 39] = 458_640;
        values[2 * 21 + 1] = 458_640;
        write(Map.of(), floats(UP, 80, 2, values));
        assertRefused(() -> QuantizedWeights.of(open(), Set.of(UP), 2).matrix(UP, 80, 2), UP, "row 21:");
        values[2 * 21] = Float.NaN;
        write(Map.of(), floats(UP, 80, 2, values));
        assertRefused(() -> QuantizedWeights.of(open(), Set.of(UP), 2).matrix(UP, 80, 2), UP, "NaN", "element 42");
    }

    /** Who plans memory by the format must not reserve it for a matrix that will be refused. */
    @Test
    void aFormatIsToldOfNoMatrixThatHeadersShowToBeWrong() {
        write(Map.of(), floats(UP, 2, 6, new float[12]));
        assertThat(open().format(UP, 2, 6)).isEqualTo(new WeightFormat.Dense(Dtype.F32));
        assertRefused(() -> open().format(UP, 3, 6), UP, "[2, 6]", "[3, 6]");
        assertThat(QuantizedWeights.of(open(), Set.of(UP), 2).format(UP, 2, 6)).isEqualTo(new WeightFormat.Int4(2));
        assertRefused(() -> QuantizedWeights.of(open(), Set.of(UP), 2).format(UP, 2, 8), UP, "[2, 6]", "[2, 8]");
        assertRefused(() -> QuantizedWeights.of(open(), Set.of(UP), 4).format(UP, 2, 6), UP, "6 columns", "group, 4");
        assertRefused(() -> open().format("y", 2, 6), "no tensor \"y\"");

        write(INT4, qweight(UP, 1, 4, 0, 0), scales(UP, 1, 2, 0, 0));
        assertThat(open().format(UP, 1, 4)).isEqualTo(new WeightFormat.Int4(2));
        assertRefused(() -> open().format(UP, 1, 8), UP, "[1, 2]", "[1, 4]");
        write(INT4, qweight(UP, 1, 4, 0, 0), scales(UP, 1, 1, 0));
        assertRefused(() -> open().format(UP, 1, 4), UP, "[1, 1]", "[1, 2]");
    }

    private record Given(String name, Dtype dtype, List<Long> shape, MemorySegment bytes) {
        Given {
            shape = List.copyOf(shape);
        }
    }

    private static Given given(String name, Dtype dtype, List<Long> shape, byte[] bytes) {
        return new Given(name, dtype, shape, MemorySegment.ofArray(bytes));
    }

    private static Given floats(String name, long rows, long cols, float... values) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(values);
        return given(name, Dtype.F32, List.of(rows, cols), bytes.array());
    }

    private static Given qweight(String name, long rows, long cols, int... bytes) {
        byte[] packed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            packed[i] = (byte) bytes[i];
        }
        return given(name + ".qweight", Dtype.U8, List.of(rows, cols / 2), packed);
    }

    private static Given scales(String name, long rows, long groups, int... bits) {
        ByteBuffer bytes = ByteBuffer.allocate(2 * bits.length).order(ByteOrder.LITTLE_ENDIAN);
        for (int half : bits) {
            bytes.putShort((short) half);
        }
        return given(name + ".scales", Dtype.F16, List.of(rows, groups), bytes.array());
    }

    private void write(Map<String, String> metadata, Given... tensors) {
        List<Declaration> declarations = new ArrayList<>();
        for (Given tensor : tensors) {
            declarations.add(new Declaration(tensor.name(), tensor.dtype(), tensor.shape()));
        }
        SafetensorsWriter.write(file(), metadata, declarations, writer -> {
            for (Given tensor : tensors) {
                writer.put(tensor.name(), 0, tensor.bytes());
            }
        });
    }

    private Path file() {
        return dir.resolve(Checkpoint.FILE_NAME);
    }

    private Weights open() {
        return Weights.open(dir, Models.head(false));
    }
}
