package io.tutti.modelio.safetensors;

import static io.tutti.modelio.Models.safetensors;
import static io.tutti.modelio.Models.write;
import static io.tutti.modelio.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.weights.Floats;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SafetensorsHeaderTest {
    private static final String A = "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}";

    @TempDir
    Path dir;

    @Test
    void safetensorsReaderRules() {
        String header = """
                {"__metadata__":{"format":"pt"},\
                "a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},\
                "h":{"dtype":"F16","shape":[2],"data_offsets":[8,12]},\
                "b":{"dtype":"BF16","shape":[2],"data_offsets":[12,16]}}""";
        byte[] data = ByteBuffer.allocate(16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putFloat(1.5f)
                .putFloat(-2.25f)
                .putShort((short) 0x3C00)
                .putShort((short) 0x0001)
                .putShort((short) 0x3FC0)
                .putShort((short) 0xC010)
                .array();
        write(dir, "model.safetensors", safetensors(header, data));

        Checkpoint checkpoint = Checkpoint.open(dir);
        assertThat(checkpoint.names()).containsExactly("a", "h", "b");
        assertThat(checkpoint.metadata()).containsEntry("format", "pt").hasSize(1);
        assertThat(checkpoint.tensor("a").shape()).containsExactly(1L, 2L);
        assertThat(checkpoint.tensor("a").shapeText()).isEqualTo("[1, 2]");
        assertThat(checkpoint.tensor("h").offset()).isEqualTo(8 + header.length() + 8);
        assertThat(checkpoint.bytes()).isEqualTo(16);
        // Offsets count from the data buffer, and each dtype is widened by its own rule.
        assertThat(values(checkpoint, "a", 2)).containsExactly(1.5f, -2.25f);
        assertThat(values(checkpoint, "h", 2)).containsExactly(1f, 0x1p-24f);
        assertThat(values(checkpoint, "b", 2)).containsExactly(1.5f, -2.25f);

        String gap = "{\"a\":" + A + ",\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,12]}}";
        assertRefused(() -> read(safetensors(gap, new byte[12])), "model.safetensors", "\"b\"", "gap");
        assertRefused(() -> read(safetensors("{\"a\":" + A + "}", new byte[5])), "1 bytes after its last tensor");
    }

    static Stream<Arguments> malformed() {
        return Stream.of(
                of("empty file", new byte[0], "0 bytes long"),
                of("three bytes", new byte[3], "3 bytes long"),
                of("length only", new byte[8], "not a safetensors file"),
                of("length of 2^63", bytes(Long.MIN_VALUE), "9223372036854775808"),
                of("length of 2^64 - 1", bytes(-1), "18446744073709551615"),
                of("length past the limit", bytes(100_000_001), "100000001"),
                of("header longer than the file", bytes(100), "cut short", "download it again"),
                of("web page", "<!DOCTYPE html><html>".getBytes(StandardCharsets.UTF_8), "not a safetensors file"),
                of("list", safetensors("[]"), "does not begin with {"),
                of("leading space", safetensors(" {}"), "does not begin with {"),
                of("not JSON", safetensors("{a}"), "not valid JSON", "line 1"),
                of("unfinished JSON", safetensors("{\"a\":"), "not valid JSON"),
                of("something after the object", safetensors("{} {}"), "after its JSON value"),
                of("invalid UTF-8", safetensorsBytes(new byte[] {'{', '"', (byte) 0xC3, '"', '}'}), "UTF-8"),
                of("NaN", tensor("F32", "[NaN]", "[0,4]"), "not valid JSON"),
                of("comment", safetensors("{/* */}"), "not valid JSON"),
                of("deep nesting", safetensors("{\"a\":" + "[".repeat(5000) + "}"), "JSON list"),
                of("duplicate tensor", safetensors("{\"a\":" + A + ",\"a\":" + A + "}", new byte[4]), "uplicate", "a"),
                of("duplicate field", safetensors("{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}"), "uplicate"),
                of("tensor is no object", safetensors("{\"a\":3}"), "\"a\"", "number", "object"),
                of("tensor is null", safetensors("{\"a\":null}"), "\"a\"", "null"),
                of("no dtype", safetensors("{\"a\":{\"shape\":[],\"data_offsets\":[0,0]}}"), "\"a\"", "lacks"),
                of("no shape", safetensors("{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,0]}}"), "lacks"),
                of("no offsets", safetensors("{\"a\":{\"dtype\":\"F32\",\"shape\":[]}}"), "lacks"),
                of("unknown field", safetensors("{\"a\":{\"strides\":[1]}}"), "\"strides\"", "accepted"),
                of("dtype is no string", tensor("F32\":1,\"x", "[1]", "[0,4]"), "not valid JSON"),
                of("dtype is a number", safetensors("{\"a\":{\"dtype\":32}}"), "dtype", "number"),
                of("unknown dtype", tensor("Q4_0", "[1]", "[0,4]"), "\"Q4_0\"", "F32, F16, BF16"),
                of("lower-case dtype", tensor("f32", "[1]", "[0,4]"), "\"f32\""),
                of("shape is no list", tensor("F32", "1", "[0,4]"), "shape", "number", "list"),
                of("shape of strings", tensor("F32", "[\"1\"]", "[0,4]"), "shape", "string"),
                of("negative size", tensor("F32", "[-1]", "[0,4]"), "shape", "-1"),
                of("fractional size", tensor("F32", "[1.0]", "[0,4]"), "shape", "1.0", "whole numbers"),
                of("fractional offset", tensor("F32", "[1]", "[0.5,4]"), "data_offsets holds 0.5", "whole numbers"),
                of("a thousand sizes", tensor("F32", "[" + "2,".repeat(999) + "2]", "[0,4]"), "2, … (1000 sizes)]"),
                of("a thousand offsets", tensor("F32", "[1]", "[" + "2,".repeat(999) + "2]"), "2, … (1000 sizes)]"),
                of("size past 2^63", tensor("F32", "[9223372036854775808]", "[0,4]"), "9223372036854775808"),
                of("sizes that overflow", tensor("F32", "[4294967296,4294967296]", "[0,4]"), "overflow"),
                of("bits that overflow", tensor("F64", "[1152921504606846976]", "[0,4]"), "overflow"),
                of("one offset", tensor("F32", "[1]", "[0]"), "data_offsets", "[begin, end]"),
                of("three offsets", tensor("F32", "[1]", "[0,2,4]"), "data_offsets"),
                of("end before begin", tensor("F32", "[1]", "[4,0]"), "begin <= end"),
                of("too few bytes for the shape", tensor("F32", "[2]", "[0,4]"), "not its size"),
                of("too many bytes for the shape", tensor("F16", "[1]", "[0,4]"), "not its size"),
                of(
                        "offsets near 2^63",
                        tensor("F32", "[1]", "[9223372036854775803,9223372036854775807]"),
                        "not its size"),
                of("gap at the start", tensor("U8", "[2]", "[2,4]"), "gap"),
                of(
                        "overlap",
                        safetensors(
                                "{\"a\":" + A + ",\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[2,6]}}",
                                new byte[6]),
                        "overlap"),
                of("the same range twice", safetensors("{\"a\":" + A + ",\"b\":" + A + "}", new byte[4]), "overlap"),
                of("cut-short data", safetensors("{\"a\":" + A + "}", new byte[3]), "cut short", "download it again"),
                of("trailing data", safetensors("{}", new byte[1]), "1 bytes after"),
                of("metadata is a string", safetensors("{\"__metadata__\":\"pt\"}"), "__metadata__", "string"),
                of("metadata of numbers", safetensors("{\"__metadata__\":{\"format\":1}}"), "__metadata__.format"),
                of(
                        "Git LFS pointer",
                        "version https://git-lfs.example/spec/v1\noid sha256:00\nsize 9\n"
                                .getBytes(StandardCharsets.UTF_8),
                        "Git LFS pointer",
                        "git lfs pull"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("malformed")
    void malformedFilesAreRefused(String kind, byte[] file, String[] named) {
        assertThat(assertRefused(() -> read(file), named)).hasMessageContaining("model.safetensors");
    }

    @Test
    void namesInMessagesStayOnOneShortLine() {
        String name = "x\\n\\u2028\\ud83d\\ude00" + "y".repeat(500);
        ModelException refusal = assertRefused(() -> read(safetensors("{\"" + name + "\":1}")), "tensor");
        assertThat(refusal.getMessage()).contains("\"x????yyy").contains("…\"");
    }

    @Test
    void aFileWithoutTensorsIsWellFormed() {
        assertThat(read(safetensors("{}")).tensors()).isEmpty();
        assertThat(read(safetensors("{}      ")).metadata()).isEmpty();
        assertThat(read(safetensors("{\"__metadata__\":null}")).metadata()).isEmpty();
    }

    @Test
    void emptyTensorsAndScalarsHaveTheirPlace() {
        SafetensorsHeader header = read(safetensors("""
                {"s":{"dtype":"F32","shape":[],"data_offsets":[0,4]},\
                "e":{"dtype":"F32","shape":[3,0],"data_offsets":[4,4]},\
                "z":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}""", new byte[4]));
        assertThat(header.tensors().get("s").bytes()).isEqualTo(4);
        assertThat(header.tensors().get("e").bytes()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "F64,8",
        "C64,8",
        "I64,8",
        "U64,8",
        "I32,4",
        "U32,4",
        "I16,2",
        "U16,2",
        "I8,1",
        "BOOL,1",
        "F8_E4M3,1",
        "F8_E5M2,1",
        "F8_E8M0,1",
        "F8_E4M3FNUZ,1",
        "F8_E5M2FNUZ,1",
        "U8,1"
    })
    void otherTypesOfKnownSizeMayLieBesideTheWeights(Dtype dtype, int bytes) {
        SafetensorsHeader header = read(tensor(dtype.name(), "[2]", "[0," + 2 * bytes + "]"));
        assertThat(header.tensors().get("a").dtype()).isEqualTo(dtype);
        assertThat(dtype.bytes()).isEqualTo(bytes);
        assertThat(dtype.isWeight()).isFalse();
    }

    @Test
    void typesOfLessThanAByteAreCountedInBits() {
        assertThat(read(tensor("F4", "[3]", "[0,2]")).tensors().get("a").bytes())
                .isEqualTo(2);
        assertThat(read(tensor("F6_E2M3", "[4]", "[0,3]")).tensors().get("a").bytes())
                .isEqualTo(3);
        assertThat(catchThrowable(Dtype.F4::bytes)).isInstanceOf(IllegalStateException.class);
        assertThat(List.of(Dtype.F32, Dtype.F16, Dtype.BF16)).allMatch(Dtype::isWeight);
    }

    private static Arguments of(String kind, byte[] file, String... named) {
        return Arguments.of(kind, file, named);
    }

    /** A file of one tensor, with as much data as its range ends at, if that is little. */
    private static byte[] tensor(String dtype, String shape, String offsets) {
        String end = offsets.replaceAll(".*[,\\[](\\d+)]", "$1");
        int data = end.length() > 3 ? 4 : Integer.parseInt(end);
        return safetensors(
                "{\"a\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}}",
                new byte[data]);
    }

    private static byte[] bytes(long length) {
        return ByteBuffer.allocate(20)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(length)
                .array();
    }

    private static byte[] safetensorsBytes(byte[] json) {
        return ByteBuffer.allocate(8 + json.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(json.length)
                .put(json)
                .array();
    }

    private SafetensorsHeader read(byte[] file) {
        return SafetensorsHeader.read(write(dir, "model.safetensors", file));
    }

    private static float[] values(Checkpoint checkpoint, String name, int count) {
        float[] values = new float[count];
        try (TensorWindow window = checkpoint.map(name)) {
            Floats.widen(window.data(), checkpoint.tensor(name).dtype(), 0, values, 0, count);
        }
        return values;
    }
}
