package io.tutti.engine.model;

import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Tensor;
import io.tutti.engine.graph.Tensor.RowsOf;
import io.tutti.engine.graph.Tensor.Stored;
import io.tutti.modelio.weights.Weight;
import io.tutti.modelio.weights.WeightFormat;
import io.tutti.modelio.weights.WeightSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The weights of a graph by the names that it gives them, made of stored tensors as they are asked for. */
public final class GraphWeights implements WeightSource {

    private final Map<String, Tensor> tensors = new HashMap<>();
    private final WeightSource stored;

    /**
     * The weights of {@code graph}.
     *
     * @param stored the tensors in the checkpoint
     */
    public GraphWeights(Graph graph, WeightSource stored) {
        this.stored = stored;
        graph.forEachWeight((weight, layer) -> {
            Tensor tensor = weight.tensor().in(layer);
            tensors.put(tensor.text(), tensor);
        });
    }

    private Tensor tensor(String name) {
        return tensors.getOrDefault(name, new Stored(name));
    }

    @Override
    public Weight matrix(String name, int rows, int cols) {
        return switch (tensor(name)) {
            case Stored(String tensor) -> stored.matrix(tensor, rows, cols);
            case RowsOf(Stored whole, int first, int all) ->
                stored.matrix(whole.name(), all, cols).rows(name, first, rows);
        };
    }

    @Override
    public WeightFormat format(String name, int rows, int cols) {
        return switch (tensor(name)) {
            case Stored(String tensor) -> stored.format(tensor, rows, cols);
            case RowsOf(Stored whole, int _, int all) -> stored.format(whole.name(), all, cols);
        };
    }

    @Override
    public float[] vector(String name, int size) {
        return switch (tensor(name)) {
            case Stored(String tensor) -> stored.vector(tensor, size);
            case RowsOf(Stored whole, int first, int all) ->
                Arrays.copyOfRange(stored.vector(whole.name(), all), first, first + size);
        };
    }
}
