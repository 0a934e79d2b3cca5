package io.tutti.engine.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.engine.parallel.Workers;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.safetensors.TensorWindow;
import io.tutti.modelio.weights.DenseWeight;
import io.tutti.modelio.weights.Floats;
import io.tutti.modelio.weights.Int4Weight;
import io.tutti.modelio.weights.Weight;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class TilePackerTest {

    private static final Path FILE = Path.of("weights.safetensors");

    /** Two tiles, of which the second lacks rows in both halves; and columns in three blocks, of which the last lacks some. */
    private static final int ROWS = 45;

    private static final int COLS = 515;

    static Stream<Arguments> notFinite() {
        return Stream.of(
                        Arguments.of(Dtype.F32, new int[] {0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFFFFFFF}),
                        Arguments.of(Dtype.F16, new int[] {0x7C00, 0xFC00, 0x7E00, 0x7C01, 0xFFFF}),
                        Arguments.of(Dtype.BF16, new int[] {0x7F80, 0xFF80, 0x7FC0, 0x7F81, 0xFFFF}))
                .flatMap(kind ->
                        IntStream.of((int[]) kind.get()[1]).mapToObj(bits -> Arguments.of(kind.get()[0], bits)));
    }

    @ParameterizedTest
    @MethodSource("notFinite")
    void aValueThatIsNotFiniteIsRefusedWhereverItIs(Dtype dtype, int bits) {
        for (int row : new int[] {0, 15, 16, 31, 32, 44}) {
            for (int col : new int[] {0, 255, 256, 514}) {
                DenseWeight weight = largest(dtype);
                set(weight, row, col, bits);
                assertThatThrownBy(() -> pack(weight, 2))
                        .as("row %s, column %s", row, col)
                        .isInstanceOf(ModelException.class)
                        .hasMessageContaining("weights.safetensors")
                        .hasMessageContaining("\"w\"")
                        .hasMessageContaining("at element " + (row * COLS + col) + ";");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"F32", "F16", "BF16"})
    void ofSeveralTheFirstIsNamedWhoeverFindsIt(Dtype dtype) {
        DenseWeight weight = largest(dtype);
        int infinity = dtype == Dtype.F32 ? 0x7F800000 : dtype == Dtype.F16 ? 0x7C00 : 0x7F80;
        set(weight, 44, 0, infinity);
        set(weight, 33, 7, infinity);
        set(weight, 20, 1, infinity);
        set(weight, 3, 514, infinity);
        for (int workers = 1; workers <= 4; workers++) {
            int team = workers;
            assertThatThrownBy(() -> pack(weight, team)).hasMessageContaining("at element " + (3 * COLS + 514) + ";");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"F32", "F16", "BF16"})
    void theLargestFiniteValuesAndTheSmallestAreTaken(Dtype dtype) {
        DenseWeight weight = largest(dtype);
        set(weight, 1, 1, dtype == Dtype.F32 ? 0x80000000 : 0x8000);
        set(weight, 17, 256, 1);
        set(weight, 31, 3, dtype == Dtype.F32 ? 0xFF7FFFFF : dtype == Dtype.F16 ? 0xFBFF : 0xFF7F);
        assertThatCode(() -> pack(weight, 2)).doesNotThrowAnyException();
    }

    /** Every value has its place, whichever block and tile it is in. */
    @ParameterizedTest
    @EnumSource(names = {"F32", "F16", "BF16"})
    void rowsComeBackAsTheyWere(Dtype dtype) {
        DenseWeight weight = largest(dtype);
        Random random = new Random(1);
        for (int i = 0; i < ROWS * COLS; i++) {
            set(
                    weight,
                    i / COLS,
                    i % COLS,
                    dtype == Dtype.F32 ? random.nextInt() & 0x3FFFFFFF : random.nextInt() & 0x3BFF);
        }
        float[] want = new float[COLS];
        float[] got = new float[COLS];
        try (Workers workers = new Workers(1);
                Arena arena = Arena.ofShared()) {
            PackedMatrix packed = Packed.of(weight, workers, arena);
            for (int r = 0; r < ROWS; r++) {
                weight.row(r, want);
                packed.row(r, got, 0);
                assertThat(got).as("row %s", r).containsExactly(want);
            }
        }
    }

    /** Words of eight columns take more than one block from 2,048 columns on; and the last word of a row may be a part of one. */
    @ParameterizedTest
    @CsvSource({"2048", "2050", "2054", "4096", "4110"})
    void nibblesComeBackAsTheyWere(int cols) {
        int group = 2;
        Random random = new Random(cols);
        TensorWindow nibbles = TensorWindow.allocate((long) ROWS * cols / 2);
        TensorWindow scales = TensorWindow.allocate((long) ROWS * cols / group * Short.BYTES);
        for (long i = 0; i < nibbles.data().byteSize(); i++) {
            nibbles.data().set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
        }
        for (long i = 0; i < scales.data().byteSize() / Short.BYTES; i++) {
            scales.data().setAtIndex(Floats.HALF, i, (short) random.nextInt(0x7C00));
        }
        Int4Weight weight = new Int4Weight("w", FILE, ROWS, cols, group, nibbles, scales);
        float[] got = new float[cols];
        try (Workers workers = new Workers(1);
                Arena arena = Arena.ofShared();
                weight) {
            PackedMatrix packed = Packed.of(weight, workers, arena);
            for (int r = 0; r < ROWS; r++) {
                packed.row(r, got, 0);
                for (int k = 0; k < cols; k++) {
                    long at = (long) r * cols + k;
                    int nibble = nibbles.data().get(ValueLayout.JAVA_BYTE, at / 2) >> (k % 2 == 0 ? 0 : 4);
                    float scale = Float.float16ToFloat(scales.data().getAtIndex(Floats.HALF, at / group));
                    assertThat(got[k]).as("row %s, column %s", r, k).isEqualTo((nibble << 28 >> 28) * scale);
                }
            }
        }
    }

    private static void pack(Weight weight, int threads) {
        try (Workers workers = new Workers(threads);
                Arena arena = Arena.ofShared()) {
            Packed.of(weight, workers, arena);
        }
    }

    /** The largest finite value everywhere, one bit short of all that the search looks for. */
    private static DenseWeight largest(Dtype dtype) {
        TensorWindow window = TensorWindow.allocate((long) ROWS * COLS * dtype.bytes());
        DenseWeight weight = new DenseWeight("w", FILE, dtype, ROWS, COLS, window);
        for (int i = 0; i < ROWS * COLS; i++) {
            set(weight, i / COLS, i % COLS, dtype == Dtype.F32 ? 0x7F7FFFFF : dtype == Dtype.F16 ? 0x7BFF : 0x7F7F);
        }
        return weight;
    }

    private static void set(DenseWeight weight, int row, int col, int bits) {
        MemorySegment data = weight.data();
        long at = (long) row * COLS + col;
        if (weight.dtype() == Dtype.F32) {
            data.setAtIndex(Floats.F32, at, Float.intBitsToFloat(bits));
        } else {
            data.setAtIndex(Floats.HALF, at, (short) bits);
        }
    }
}
