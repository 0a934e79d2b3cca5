package io.tutti.modelio.weights;

import io.tutti.modelio.safetensors.TensorWindow;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * A matrix of four-bit integers with an f16 scale for each group of columns: w[r, c] = q[r, c] * scale[r, c / group].
 * The scales are checked: none is negative or not finite.
 *
 * @param group columns that share a scale; divides cols, which is even
 */
public record Int4Weight(
        String name, Path file, int rows, int cols, int group, TensorWindow qweightWindow, TensorWindow scalesWindow)
        implements Weight {
    /** U8 [rows, cols / 2]: column 2b in the low nibble of byte b, 2b + 1 in the high one, two's complement. */
    public MemorySegment qweight() {
        return qweightWindow.data();
    }

    /** F16 [rows, cols / group], little-endian, at any alignment. */
    public MemorySegment scales() {
        return scalesWindow.data();
    }

    @Override
    public Int4Weight rows(String other, int first, int count) {
        long pairs = cols / 2;
        long halves = (long) cols / group * Short.BYTES;
        return new Int4Weight(
                other,
                file,
                count,
                cols,
                group,
                qweightWindow.slice(first * pairs, count * pairs),
                scalesWindow.slice(first * halves, count * halves));
    }

    @Override
    public void close() {
        qweightWindow.close();
        scalesWindow.close();
    }
}
