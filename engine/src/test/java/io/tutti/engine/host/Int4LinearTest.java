package io.tutti.engine.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.golden.Runs;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.parallel.Workers;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.int4.Int4;
import io.tutti.modelio.safetensors.TensorWindow;
import io.tutti.modelio.weights.DenseWeight;
import io.tutti.modelio.weights.Floats;
import io.tutti.modelio.weights.Int4Weight;
import io.tutti.modelio.weights.Weight;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Int4LinearTest {

    private static final Path FILE = Path.of("random");
    private static final int ROWS = 45;
    private static final int COLS = 320;
    private static final int GROUP = 32;

    private final Random random = new Random(4);

    @ParameterizedTest
    @ValueSource(ints = {1, 6})
    void q4LinearMatchesItsDequantizedWeights(int tokens) {
        Int4Weight int4 = quantized();
        DenseWeight twin = dequantized(int4);
        float[] x = new float[tokens * COLS];
        for (int i = 0; i < x.length; i++) {
            x[i] = (float) random.nextGaussian();
        }
        assertThat(Runs.bits(product(int4, x, tokens))).isEqualTo(Runs.bits(product(twin, x, tokens)));
    }

    private static float[] product(Weight weight, float[] x, int tokens) {
        try (Workers workers = new Workers(2);
                Arena arena = Arena.ofShared();
                weight) {
            Buffer in = Buffer.ofTokens("in", COLS);
            Buffer out = Buffer.ofTokens("out", ROWS);
            Step step = new Step(workers);
            int[] none = {};
            step.begin(
                    new StepInputs(new int[tokens], new int[tokens], none, new int[] {0}, none, new int[] {0}, none));
            System.arraycopy(x, 0, step.data(in), 0, x.length);
            PackedMatrix packed = Packed.of(weight, workers, arena);
            new LinearOp(in, List.of(new LinearOp.Part.Store(new LinearOp.Layer(packed), out))).run(step);
            return Arrays.copyOf(step.data(out), tokens * ROWS);
        }
    }

    private Int4Weight quantized() {
        TensorWindow nibbles = TensorWindow.allocate((long) ROWS * COLS / 2);
        TensorWindow scales = TensorWindow.allocate((long) ROWS * (COLS / GROUP) * Short.BYTES);
        float[] row = new float[COLS];
        byte[] packed = new byte[COLS / 2];
        short[] rowScales = new short[COLS / GROUP];
        for (int r = 0; r < ROWS; r++) {
            for (int c = 0; c < COLS; c++) {
                row[c] = (float) random.nextGaussian();
            }
            Int4.quantizeRow(row, GROUP, packed, rowScales);
            MemorySegment.copy(
                    packed, 0, nibbles.data(), ValueLayout.JAVA_BYTE, (long) r * packed.length, packed.length);
            long at = (long) r * rowScales.length * Short.BYTES;
            MemorySegment.copy(rowScales, 0, scales.data(), Floats.HALF, at, rowScales.length);
        }
        return new Int4Weight("w", FILE, ROWS, COLS, GROUP, nibbles, scales);
    }

    /** Unpacked by model-io's own code, which knows nothing of tiles. */
    private static DenseWeight dequantized(Int4Weight weight) {
        TensorWindow window = TensorWindow.allocate((long) ROWS * COLS * Float.BYTES);
        byte[] packed = new byte[COLS / 2];
        short[] scales = new short[COLS / GROUP];
        float[] row = new float[COLS];
        for (int r = 0; r < ROWS; r++) {
            MemorySegment.copy(
                    weight.qweight(), ValueLayout.JAVA_BYTE, (long) r * packed.length, packed, 0, packed.length);
            long at = (long) r * scales.length * Short.BYTES;
            MemorySegment.copy(weight.scales(), Floats.HALF, at, scales, 0, scales.length);
            Int4.dequantizeRow(packed, scales, GROUP, row);
            MemorySegment.copy(row, 0, window.data(), Floats.F32, (long) r * COLS * Float.BYTES, COLS);
        }
        return new DenseWeight("w", FILE, Dtype.F32, ROWS, COLS, window);
    }
}
