package io.tutti.cli.command;

import io.tutti.cli.bench.Cost;
import io.tutti.cli.option.EngineOptions;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Weight;
import io.tutti.engine.model.GraphWeights;
import io.tutti.engine.model.ModelConfig;
import io.tutti.modelio.weights.QuantizedWeights;
import io.tutti.modelio.weights.WeightFormat;
import io.tutti.modelio.weights.WeightSource;
import io.tutti.modelio.weights.Weights;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;

/**
 * A model's weights as a run stores them, found from their headers.
 *
 * @param cost what they cost a run
 * @param dtype how the layers' matrices are stored, such as {@code bf16} or {@code int4:32}; several with a plus between
 */
record BenchedWeights(Cost cost, String dtype) {

    /** @throws io.tutti.modelio.ModelException if a weight is missing or misshapen */
    static BenchedWeights of(Path directory, ModelConfig config, EngineOptions options) {
        Weights weights = Weights.open(directory, config.head());
        Graph graph = config.with(weights).graph();
        WeightSource floats = new GraphWeights(graph, weights);
        WeightSource source = options.quantGroup().isPresent()
                ? QuantizedWeights.of(
                        weights,
                        floats,
                        graph.projections(),
                        options.quantGroup().getAsInt())
                : floats;
        Cost cost = Cost.of(
                graph,
                (name, matrix) -> source.format(name, matrix.rows(), matrix.cols()),
                name -> weights.tensor(name).bytes(),
                options.kv());
        return new BenchedWeights(cost, dtype(source, graph));
    }

    private static String dtype(WeightSource source, Graph graph) {
        Set<String> projections = graph.projections();
        Set<String> layers = new LinkedHashSet<>();
        Set<String> all = new LinkedHashSet<>();
        graph.weights().forEach((name, weight) -> {
            if (weight instanceof Weight.Matrix matrix) {
                String dtype = text(source.format(name, matrix.rows(), matrix.cols()));
                all.add(dtype);
                if (projections.contains(name)) {
                    layers.add(dtype);
                }
            }
        });
        return String.join("+", layers.isEmpty() ? all : layers);
    }

    private static String text(WeightFormat format) {
        return switch (format) {
            case WeightFormat.Dense dense -> dense.dtype().name().toLowerCase(Locale.ROOT);
            case WeightFormat.Int4 int4 -> "int4:" + int4.group();
        };
    }
}
