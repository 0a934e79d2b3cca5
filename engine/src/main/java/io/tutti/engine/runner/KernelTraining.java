package io.tutti.engine.runner;

import io.tutti.engine.graph.Activations;
import io.tutti.engine.model.ModelConfig;
import io.tutti.kv.KvDtype;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.weights.WeightFormat;
import java.util.ArrayList;
import java.util.List;

/**
 * Shows the JVM the host's kernels for weights, activations and caches of every kind, so that an AOT cache of it remembers how
 * they run.
 */
public final class KernelTraining {

    /** What decides which kernels a model runs. */
    record Kind(WeightFormat weights, EngineConfig engine) {}

    private KernelTraining() {}

    /** Runs a small model of {@code config}'s kind for each. */
    public static void run(ModelConfig config) {
        for (Kind kind : kinds()) {
            WarmUp.run(
                    config, ZeroWeights.of(kind.weights(), config.graph().projections()), kind.engine(), () -> false);
        }
    }

    static List<Kind> kinds() {
        List<Kind> kinds = new ArrayList<>();
        for (KvDtype kv : KvDtype.values()) {
            EngineConfig engine = EngineConfig.defaults().withKvDtype(kv);
            for (Dtype dtype : List.of(Dtype.BF16, Dtype.F16, Dtype.F32)) {
                kinds.add(new Kind(new WeightFormat.Dense(dtype), engine));
            }
            for (Activations activations : Activations.values()) {
                kinds.add(new Kind(new WeightFormat.Int4(ZeroWeights.WIDTH), engine.withActivations(activations)));
            }
        }
        return kinds;
    }
}
