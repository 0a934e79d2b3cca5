package io.tutti.engine.selftest;

import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.dtype.Halves;
import io.tutti.modelio.int4.Int4;
import io.tutti.modelio.safetensors.TensorWindow;
import io.tutti.modelio.weights.DenseWeight;
import io.tutti.modelio.weights.Int4Weight;
import io.tutti.modelio.weights.Weight;
import io.tutti.modelio.weights.WeightFormat;
import io.tutti.modelio.weights.WeightSource;
import io.tutti.sample.Pcg32;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Map;

/**
 * Weights of no model, the same for the same name: of about unit gain, and with a row in each matrix so small that its
 * products are subnormal, since devices that flush those to zero are common.
 */
final class RandomWeights implements WeightSource {

    private static final Path FILE = Path.of("self-test");
    private static final ValueLayout.OfShort HALF = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat SINGLE =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int TINY_ROW = 3;
    /** Subnormal as f32 and bf16. */
    private static final float TINY = 0x1p-126f;
    /** Subnormal as f16. */
    private static final float TINY_HALF = 0x1p-14f;

    /** A group that segments end with, so that a device may take several side by side; for matrices that it divides. */
    private static final int WHOLE_GROUP = 32;

    /** Another, which cuts words, blocks and segments. */
    private static final int CUTTING_GROUP = 12;

    /** How a matrix is stored. */
    enum Stored {
        F32,
        F16,
        BF16,
        INT4
    }

    private final Map<String, Stored> byModule;

    /** @param byModule how each module's matrix is stored: {@code q_proj}, {@code lm_head}; the rest is not there */
    RandomWeights(Map<String, Stored> byModule) {
        this.byModule = Map.copyOf(byModule);
    }

    /** How the matrix of this name is stored. */
    Stored stored(String name) {
        String module = name.substring(0, name.lastIndexOf('.'));
        return byModule.get(module.substring(module.lastIndexOf('.') + 1));
    }

    @Override
    public Weight matrix(String name, int rows, int cols) {
        return switch (stored(name)) {
            case F32 -> dense(name, Dtype.F32, rows, cols);
            case F16 -> dense(name, Dtype.F16, rows, cols);
            case BF16 -> dense(name, Dtype.BF16, rows, cols);
            case INT4 -> quantized(name, rows, cols);
        };
    }

    @Override
    public WeightFormat format(String name, int rows, int cols) {
        return switch (stored(name)) {
            case F32 -> new WeightFormat.Dense(Dtype.F32);
            case F16 -> new WeightFormat.Dense(Dtype.F16);
            case BF16 -> new WeightFormat.Dense(Dtype.BF16);
            case INT4 -> new WeightFormat.Int4(group(cols));
        };
    }

    @Override
    public float[] vector(String name, int size) {
        float[] scale = values(name, size, 0.25f);
        for (int i = 0; i < size; i++) {
            scale[i] += 1;
        }
        return scale;
    }

    private DenseWeight dense(String name, Dtype dtype, int rows, int cols) {
        TensorWindow window = TensorWindow.allocate((long) rows * cols * dtype.bytes());
        MemorySegment data = window.data();
        float[] values = values(name, rows * cols, gain(cols));
        for (int i = 0; i < values.length; i++) {
            boolean tiny = i / cols == TINY_ROW;
            switch (dtype) {
                case F32 -> data.setAtIndex(SINGLE, i, tiny ? values[i] * TINY : values[i]);
                case F16 -> data.setAtIndex(HALF, i, Halves.floatToF16(tiny ? values[i] * TINY_HALF : values[i]));
                case BF16 -> data.setAtIndex(HALF, i, bf16(tiny ? values[i] * TINY : values[i]));
                default -> throw new IllegalArgumentException("no weights are " + dtype);
            }
        }
        return new DenseWeight(name, FILE, dtype, rows, cols, window);
    }

    /** Truncated: any bf16 will do. */
    private static short bf16(float value) {
        return (short) (Float.floatToRawIntBits(value) >>> 16);
    }

    private Int4Weight quantized(String name, int rows, int cols) {
        int group = group(cols);
        TensorWindow qweight = TensorWindow.allocate((long) rows * (cols / 2));
        TensorWindow scales = TensorWindow.allocate((long) rows * (cols / group) * Short.BYTES);
        float[] values = values(name, rows * cols, gain(cols));
        float[] row = new float[cols];
        byte[] packed = new byte[cols / 2];
        short[] rowScales = new short[cols / group];
        for (int r = 0; r < rows; r++) {
            System.arraycopy(values, r * cols, row, 0, cols);
            Int4.quantizeRow(row, group, packed, rowScales);
            MemorySegment.copy(
                    packed, 0, qweight.data(), ValueLayout.JAVA_BYTE, (long) r * packed.length, packed.length);
            for (int g = 0; g < rowScales.length; g++) {
                scales.data().setAtIndex(HALF, (long) r * rowScales.length + g, rowScales[g]);
            }
        }
        return new Int4Weight(name, FILE, rows, cols, group, qweight, scales);
    }

    /** Columns of a matrix that share a scale where it is int4. */
    private static int group(int cols) {
        return cols % WHOLE_GROUP == 0 ? WHOLE_GROUP : CUTTING_GROUP;
    }

    private static float gain(int cols) {
        return (float) (2 / Math.sqrt(cols));
    }

    /** Uniform in (-most, most). */
    private static float[] values(String name, int count, float most) {
        Pcg32 rng = new Pcg32(name.hashCode(), 1);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = rng.nextInt() * 0x1p-31f * most;
        }
        return values;
    }
}
