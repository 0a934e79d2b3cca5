package io.tutti.modelio.weights;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.dtype.Halves;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;

/** Stored floats to f32, plainly: for vectors, for quantizing, and as what faster code is compared with. */
public final class Floats {
    /** An f32 of a safetensors file. */
    public static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    /** The bits of an f16 or bf16 of a safetensors file. */
    public static final ValueLayout.OfShort HALF = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Floats() {}

    /**
     * Widens {@code count} elements of {@code dtype} from element {@code first} of {@code data} into {@code to} from
     * {@code at}. Exact.
     */
    public static void widen(MemorySegment data, Dtype dtype, long first, float[] to, int at, int count) {
        switch (dtype) {
            case F32 -> MemorySegment.copy(data, F32, first * Float.BYTES, to, at, count);
            case F16 -> {
                for (int i = 0; i < count; i++) {
                    to[at + i] = Halves.f16ToFloat(data.getAtIndex(HALF, first + i));
                }
            }
            case BF16 -> {
                for (int i = 0; i < count; i++) {
                    to[at + i] = Halves.bf16ToFloat(data.getAtIndex(HALF, first + i));
                }
            }
            default -> throw new IllegalArgumentException("weights cannot be " + dtype);
        }
    }

    /** Refuses the first of {@code values} that is not finite; {@code first} is the place of values[0] in the tensor. */
    static void requireFinite(Path file, String tensor, long first, float[] values, int count) {
        for (int i = 0; i < count; i++) {
            if (!Float.isFinite(values[i])) {
                throw ModelException.notFinite(file, tensor, first + i, values[i]);
            }
        }
    }
}
