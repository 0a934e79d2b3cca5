package io.tutti.tornado.program;

import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.safetensors.TensorWindow;
import io.tutti.modelio.weights.DenseWeight;
import io.tutti.modelio.weights.Int4Weight;
import io.tutti.modelio.weights.Weight;
import io.tutti.modelio.weights.WeightFormat;
import io.tutti.modelio.weights.WeightSource;
import java.nio.file.Path;

/**
 * Weights that are all zero, of any shape.
 *
 * @param layers how the layers' matrices are stored
 * @param outside how the embedding and the LM head are
 */
public record ZeroWeights(WeightFormat layers, WeightFormat outside) implements WeightSource {

    private static final Path FILE = Path.of("zeros");

    @Override
    public Weight matrix(String name, int rows, int cols) {
        return switch (format(name, rows, cols)) {
            case WeightFormat.Dense(Dtype dtype) ->
                new DenseWeight(
                        name, FILE, dtype, rows, cols, TensorWindow.allocate((long) rows * cols * dtype.bytes()));
            case WeightFormat.Int4(int group) ->
                new Int4Weight(
                        name,
                        FILE,
                        rows,
                        cols,
                        group,
                        TensorWindow.allocate((long) rows * (cols / 2)),
                        TensorWindow.allocate((long) rows * (cols / group) * Short.BYTES));
        };
    }

    @Override
    public WeightFormat format(String name, int rows, int cols) {
        return name.contains(".layers.") ? layers : outside;
    }

    @Override
    public float[] vector(String name, int size) {
        return new float[size];
    }
}
