package io.tutti.modelio.int4;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.tutti.modelio.Golden;
import io.tutti.modelio.dtype.Halves;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class Int4Test {
    @Test
    void int4HandExample() {
        float[] row = {0.7f, -1.4f, 0f, 0.29995f};
        byte[] packed = new byte[2];
        short[] scales = new short[1];
        assertThat(Int4.quantizeRow(row, 4, packed, scales)).isEqualTo(-1);
        assertThat(Halves.f16ToFloat(scales[0])).isEqualTo((float) 0.199951171875);
        byte[] quantized = new byte[4];
        Int4.unpack(packed, quantized);
        assertThat(quantized).containsExactly(4, -7, 0, 2);

        Int4.pack(new byte[] {-8, 7, 1, -1}, packed);
        assertThat(packed).containsExactly(0x78, 0xF1);
        Int4.unpack(packed, quantized);
        assertThat(quantized).containsExactly(-8, 7, 1, -1);
    }

    static Stream<JsonNode> goldenCases() {
        return Golden.vectors("int4.json").get("cases").valueStream();
    }

    @ParameterizedTest
    @MethodSource("goldenCases")
    void rowsQuantizeToTheGoldenBits(JsonNode golden) {
        int rows = golden.get("rows").intValue();
        int cols = golden.get("columns").intValue();
        int group = golden.get("group").intValue();
        String[] weights = words(golden, "weight");
        String[] scales = words(golden, "scales");
        String[] dequantized = words(golden, "dequantized");
        byte[] packedGolden =
                HexFormat.of().parseHex(golden.get("packed").textValue().replace(" ", ""));
        for (int r = 0; r < rows; r++) {
            float[] row = new float[cols];
            for (int c = 0; c < cols; c++) {
                row[c] = Float.intBitsToFloat(Integer.parseUnsignedInt(weights[r * cols + c], 16));
            }
            byte[] packed = new byte[cols / 2];
            short[] rowScales = new short[cols / group];
            assertThat(Int4.quantizeRow(row, group, packed, rowScales)).isEqualTo(-1);
            for (int b = 0; b < packed.length; b++) {
                assertThat(packed[b]).isEqualTo(packedGolden[r * packed.length + b]);
            }
            for (int g = 0; g < rowScales.length; g++) {
                assertThat(Integer.toHexString((rowScales[g] & 0xFFFF) | 0x10000)
                                .substring(1))
                        .isEqualTo(scales[r * rowScales.length + g]);
            }
            Int4.dequantizeRow(packed, rowScales, group, row);
            for (int c = 0; c < cols; c++) {
                assertThat(HexFormat.of().toHexDigits(Float.floatToRawIntBits(row[c])))
                        .isEqualTo(dequantized[r * cols + c]);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 16, 32})
    void aWeightIsAtMostHalfAScaleFromItsValue(int group) {
        Random random = new Random(group);
        float[] row = new float[64];
        for (int i = 0; i < row.length; i++) {
            row[i] = (float) random.nextGaussian();
        }
        byte[] packed = new byte[32];
        short[] scales = new short[64 / group];
        Int4.quantizeRow(row, group, packed, scales);
        float[] back = new float[64];
        Int4.dequantizeRow(packed, scales, group, back);
        for (int i = 0; i < row.length; i++) {
            float scale = Halves.f16ToFloat(scales[i / group]);
            assertThat(Math.abs(row[i] - back[i])).isLessThanOrEqualTo(scale / 2 * 1.01f);
        }
    }

    @Test
    void aGroupWhoseScaleF16CannotHoldIsReportedByItsFirstColumn() {
        float[] row = {1, 1, 458_640, 0};
        assertThat(Int4.quantizeRow(row, 2, new byte[2], new short[2])).isEqualTo(2);
        row[2] = Math.nextDown(458_640f);
        assertThat(Int4.quantizeRow(row, 2, new byte[2], new short[2])).isEqualTo(-1);
        row[0] = -458_640;
        assertThat(Int4.quantizeRow(row, 2, new byte[2], new short[2])).isZero();
    }

    @Test
    void tinyWeightsUnderAZeroScaleAreZero() {
        float[] row = {1e-9f, -1e-9f};
        byte[] packed = {99};
        short[] scales = {99};
        assertThat(Int4.quantizeRow(row, 2, packed, scales)).isEqualTo(-1);
        assertThat(scales[0]).isZero();
        assertThat(packed[0]).isZero();
    }

    @Test
    void subnormalScalesClampAtBothEnds() {
        // max / 7 rounds down to the smallest subnormal, 2^-24, so w / s passes the range.
        float[] row = {9.5f * 0x1p-24f, -9.5f * 0x1p-24f};
        byte[] packed = new byte[1];
        Int4.quantizeRow(row, 2, packed, new short[1]);
        byte[] quantized = new byte[2];
        Int4.unpack(packed, quantized);
        assertThat(quantized).containsExactly(7, -8);
    }

    @Test
    void namesFollowTheSpecification() {
        assertThat(Int4Format.metadata(32)).isEqualTo("int4-g32-sym");
        assertThat(Int4Format.group("int4-g128-sym")).hasValue(128);
        for (String other : new String[] {
            "int4", "int4-g0-sym", "int4-g032-sym", "int4-g32-asym", "int8-g32-sym", "int4-g9999999999-sym"
        }) {
            assertThat(Int4Format.group(other)).as(other).isEmpty();
        }
        assertThat(Int4Format.qweight("a.weight")).isEqualTo("a.weight.qweight");
        assertThat(Int4Format.scales("a.weight")).isEqualTo("a.weight.scales");
        assertThat(Int4Format.isQweight("a.weight.qweight")).isTrue();
        assertThat(Int4Format.isQweight("a.weight")).isFalse();
    }

    private static String[] words(JsonNode golden, String key) {
        return golden.get(key).textValue().trim().split("\\s+");
    }
}
