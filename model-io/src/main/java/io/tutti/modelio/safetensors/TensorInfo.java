package io.tutti.modelio.safetensors;

import io.tutti.modelio.dtype.Dtype;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Where a tensor lies and what it is.
 *
 * @param shape row-major; empty for a scalar
 * @param file the safetensors file that holds it
 * @param offset its first byte, counted from the start of the file
 * @param bytes its length, which is that of its shape and dtype
 */
public record TensorInfo(String name, Dtype dtype, List<Long> shape, Path file, long offset, long bytes) {
    private static final int MOST_SIZES_SHOWN = 8;

    public TensorInfo {
        shape = List.copyOf(shape);
    }

    /** The same tensor under another name. */
    TensorInfo named(String newName) {
        return new TensorInfo(newName, dtype, shape, file, offset, bytes);
    }

    /** The shape as messages write it: {@code [576, 1536]}. */
    public String shapeText() {
        return shapeText(shape);
    }

    static String shapeText(List<Long> shape) {
        String end = shape.size() > MOST_SIZES_SHOWN ? ", … (" + shape.size() + " sizes)]" : "]";
        return shape.stream().limit(MOST_SIZES_SHOWN).map(String::valueOf).collect(Collectors.joining(", ", "[", end));
    }
}
