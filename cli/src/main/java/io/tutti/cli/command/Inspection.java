package io.tutti.cli.command;

import io.tutti.engine.graph.Op;
import io.tutti.engine.graph.Weight;
import io.tutti.engine.model.Models;
import io.tutti.kv.KvDtype;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.ModelConfig;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.safetensors.Checkpoint;
import io.tutti.modelio.safetensors.TensorInfo;
import io.tutti.modelio.weights.Weights;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/**
 * What a model directory holds, found without loading it: every weight that the model needs is there in the right shape.
 * Whether all their values are finite is found out at load.
 *
 * @param parameters numbers of the weights that the model uses, a tied matrix once
 * @param byDtype tensors by what their elements are
 * @param int4Group columns that share a scale, if the layers are int4
 * @param unused tensors that the model does not use
 */
record Inspection(
        Path directory,
        ModelConfig config,
        long parameters,
        Map<Dtype, Tensors> byDtype,
        OptionalInt int4Group,
        List<String> unused) {

    /** Tensors of one dtype. */
    record Tensors(int count, long bytes) {
        Tensors and(TensorInfo tensor) {
            return new Tensors(count + 1, bytes + tensor.bytes());
        }
    }

    /** @throws ModelException if the directory holds no model that Tutti runs */
    static Inspection of(Path directory) {
        ModelConfig config = ModelConfig.load(directory);
        Weights weights = Weights.open(directory, config);
        long parameters = countParameters(config, weights);
        Checkpoint checkpoint = weights.checkpoint();
        Map<Dtype, Tensors> byDtype = new EnumMap<>(Dtype.class);
        for (String name : checkpoint.names()) {
            TensorInfo tensor = checkpoint.tensor(name);
            byDtype.merge(tensor.dtype(), new Tensors(1, tensor.bytes()), (old, _) -> old.and(tensor));
        }
        return new Inspection(directory, config, parameters, byDtype, weights.int4Group(), weights.unusedNames());
    }

    int tensors() {
        return byDtype.values().stream().mapToInt(Tensors::count).sum();
    }

    long bytes() {
        return byDtype.values().stream().mapToLong(Tensors::bytes).sum();
    }

    long cacheBytesPerToken(KvDtype dtype) {
        return Sizes.cacheBytesPerToken(config, dtype);
    }

    private static long countParameters(ModelConfig config, Weights weights) {
        Set<String> seen = new HashSet<>();
        long[] parameters = {0};
        Models.graph(config).forEachInOrder((op, layer) -> {
            switch (op) {
                case Op.Embed embed -> parameters[0] += matrix(embed.table(), layer, weights, seen);
                case Op.MatMul matMul -> parameters[0] += matrix(matMul.weight(), layer, weights, seen);
                case Op.RmsNorm norm -> {
                    weights.vector(name(norm.scale(), layer), norm.scale().length());
                    parameters[0] += norm.scale().length();
                }
                case Op.Rope _, Op.WriteKv _, Op.Attention _, Op.SwiGlu _, Op.Add _, Op.SelectOutputs _ -> {}
            }
        });
        return parameters[0];
    }

    private static long matrix(Weight.Matrix matrix, OptionalInt layer, Weights weights, Set<String> seen) {
        String name = name(matrix, layer);
        if (!seen.add(name)) {
            return 0;
        }
        weights.matrix(name, matrix.rows(), matrix.cols()).close();
        return (long) matrix.rows() * matrix.cols();
    }

    private static String name(Weight weight, OptionalInt layer) {
        return layer.isPresent() ? weight.name(layer.getAsInt()) : weight.name();
    }
}
