package io.tutti.engine.runner;

import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.safetensors.TensorWindow;
import io.tutti.modelio.weights.DenseWeight;
import io.tutti.modelio.weights.Int4Weight;
import io.tutti.modelio.weights.Weight;
import io.tutti.modelio.weights.WeightFormat;
import io.tutti.modelio.weights.WeightSource;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Zeros in place of a model's weights, of other sizes. */
final class ZeroWeights implements WeightSource {

    /** Columns that are a multiple of this may be stored any way. */
    static final int WIDTH = 32;

    private static final Path NO_FILE = Path.of("zeros");

    private final Function<String, WeightFormat> formats;

    private ZeroWeights(Function<String, WeightFormat> formats) {
        this.formats = formats;
    }

    /**
     * In place of a model's own.
     *
     * @param model whose weights' names are asked for
     * @param weights the model's own
     */
    static ZeroWeights like(Graph model, WeightSource weights) {
        Map<String, WeightFormat> formats = new HashMap<>();
        model.weights().forEach((name, weight) -> {
            if (weight instanceof Matrix matrix) {
                formats.put(name, weights.format(name, matrix.rows(), matrix.cols()));
            }
        });
        return new ZeroWeights(formats::get);
    }

    /** All alike, but that int4 is for {@code projections} only and comes with tables of bf16. */
    static ZeroWeights of(WeightFormat format, Set<String> projections) {
        return new ZeroWeights(name -> format instanceof WeightFormat.Int4 && !projections.contains(name)
                ? new WeightFormat.Dense(Dtype.BF16)
                : format);
    }

    @Override
    public Weight matrix(String name, int rows, int cols) {
        return switch (formats.apply(name)) {
            case WeightFormat.Dense dense ->
                new DenseWeight(
                        name,
                        NO_FILE,
                        dense.dtype(),
                        rows,
                        cols,
                        zeros((long) rows * cols * dense.dtype().bytes()));
            case WeightFormat.Int4 int4 -> {
                // The largest power of two that divides all of them: kernels ask only whether a group is whole words of
                // 8.
                int group = Integer.lowestOneBit(int4.group() | cols | WIDTH);
                yield new Int4Weight(
                        name,
                        NO_FILE,
                        rows,
                        cols,
                        group,
                        zeros((long) rows * cols / 2),
                        zeros((long) rows * (cols / group) * Short.BYTES));
            }
        };
    }

    private static TensorWindow zeros(long bytes) {
        return TensorWindow.allocate(bytes);
    }

    @Override
    public float[] vector(String name, int size) {
        return new float[size];
    }
}
