package io.tutti.engine.compare;

import io.tutti.engine.graph.Graph;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.safetensors.TensorWindow;
import io.tutti.modelio.weights.DenseWeight;
import io.tutti.modelio.weights.Floats;
import io.tutti.modelio.weights.Weight;
import io.tutti.modelio.weights.WeightFormat;
import io.tutti.modelio.weights.WeightSource;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** A model's weights for a graph of one stage: the only layer that it has is the stage's, and its input is a table. */
final class StageWeights implements WeightSource {

    private static final Path NO_FILE = Path.of("the residual stream");

    private final Map<String, String> names = new HashMap<>();
    private final WeightSource weights;
    private final float[] input;

    /**
     * @param graph the stage's graph, whose layer is number 0
     * @param input {@code [tokens, width]}, all finite; unused by the first stage
     */
    StageWeights(Graph graph, Stage stage, WeightSource weights, float[] input) {
        graph.weights().forEach((name, weight) -> names.put(name, weight.name(stage.layer())));
        this.weights = weights;
        this.input = input;
    }

    @Override
    public Weight matrix(String name, int rows, int cols) {
        return name.equals(Stage.INPUT) ? table(rows, cols) : weights.matrix(names.get(name), rows, cols);
    }

    @Override
    public WeightFormat format(String name, int rows, int cols) {
        return name.equals(Stage.INPUT)
                ? new WeightFormat.Dense(Dtype.F32)
                : weights.format(names.get(name), rows, cols);
    }

    @Override
    public float[] vector(String name, int size) {
        return weights.vector(names.get(name), size);
    }

    private Weight table(int rows, int cols) {
        TensorWindow window = TensorWindow.allocate((long) input.length * Float.BYTES);
        MemorySegment.copy(input, 0, window.data(), Floats.F32, 0, input.length);
        return new DenseWeight(Stage.INPUT, NO_FILE, Dtype.F32, rows, cols, window);
    }
}
