package io.tutti.modelio.weights;

import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.safetensors.TensorWindow;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * A matrix of floats, row-major and little-endian at any alignment.
 *
 * <p>Its values are not checked yet: who repacks them refuses what is not finite, with
 * {@link io.tutti.modelio.ModelException#notFinite}.
 *
 * @param dtype F32, F16 or BF16
 */
public record DenseWeight(String name, Path file, Dtype dtype, int rows, int cols, TensorWindow window)
        implements Weight {
    /** [rows, cols] of {@link #dtype}. */
    public MemorySegment data() {
        return window.data();
    }

    /**
     * Widens one row to f32, and checks it.
     *
     * @param to [cols]
     * @throws io.tutti.modelio.ModelException if a value is not finite
     */
    public void row(int row, float[] to) {
        long first = (long) row * cols;
        Floats.widen(data(), dtype, first, to, 0, cols);
        Floats.requireFinite(file, name, first, to, cols);
    }

    @Override
    public DenseWeight rows(String other, int first, int count) {
        long bytes = (long) cols * dtype.bytes();
        return new DenseWeight(other, file, dtype, count, cols, window.slice(first * bytes, count * bytes));
    }

    @Override
    public void close() {
        window.close();
    }
}
