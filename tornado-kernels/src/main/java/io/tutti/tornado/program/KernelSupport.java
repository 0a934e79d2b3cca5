package io.tutti.tornado.program;

import io.tutti.engine.backend.Unsupported;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Op;
import io.tutti.engine.graph.Op.Embed;
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.modelio.weights.WeightFormat;
import io.tutti.modelio.weights.WeightSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/** What of a graph no kernel is written for; each mapping has the same ops, attributes and formats. */
public final class KernelSupport {

    private KernelSupport() {}

    /** All that is missing, in the order of the graph. */
    public static List<Unsupported> missing(Graph graph, WeightSource weights) {
        Set<Unsupported> missing = new LinkedHashSet<>();
        graph.forEachInOrder((op, layer) -> {
            switch (op) {
                case Embed embed -> {
                    if (format(embed.table(), layer, weights) instanceof WeightFormat.Int4) {
                        missing.add(new Unsupported(
                                "Embed", "the table " + embed.table().name(layer), "int4", "f32, f16, bf16"));
                    }
                }
                case Op.MatMul _,
                        Op.RmsNorm _,
                        Op.HeadNorm _,
                        Op.Rope _,
                        Op.WriteKv _,
                        Op.Attention _,
                        Op.SwiGlu _,
                        Op.Add _,
                        Op.SelectOutputs _ -> {}
            }
        });
        return List.copyOf(missing);
    }

    private static WeightFormat format(Matrix matrix, OptionalInt layer, WeightSource weights) {
        return weights.format(matrix.name(layer), matrix.rows(), matrix.cols());
    }
}
