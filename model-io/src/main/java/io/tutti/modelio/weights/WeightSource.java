package io.tutti.modelio.weights;

/** Where an engine takes a model's weights from. Implementations may be called from several threads. */
public interface WeightSource {
    /**
     * The matrix {@code name} of shape [rows, cols], as it is stored; the caller closes it.
     *
     * @throws io.tutti.modelio.ModelException if it is missing, or of another shape or dtype
     */
    Weight matrix(String name, int rows, int cols);

    /**
     * How {@link #matrix} will have it stored, for a backend that plans its memory before it loads.
     *
     * @throws io.tutti.modelio.ModelException as {@link #matrix}
     */
    default WeightFormat format(String name, int rows, int cols) {
        try (Weight weight = matrix(name, rows, cols)) {
            return WeightFormat.of(weight);
        }
    }

    /**
     * The vector {@code name} of {@code size} values, widened to f32 and finite.
     *
     * @throws io.tutti.modelio.ModelException if it is missing, of another shape or dtype, or not finite
     */
    float[] vector(String name, int size);
}
