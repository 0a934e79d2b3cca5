package io.tutti.tornado.program;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.graph.Activations;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.GraphFacts;
import io.tutti.engine.model.StoredModel;
import io.tutti.kv.KvConfig;
import io.tutti.kv.KvDtype;
import io.tutti.kv.KvPool;
import io.tutti.modelio.weights.QuantizedWeights;
import io.tutti.modelio.weights.WeightSource;
import io.tutti.tornado.OnDevice;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A program's kernels are those that its device is said to have, whatever the model. */
class MappingInForceTest {

    private static final Path DEMO = new Model("demo").dir();

    private static Kernels kernels(Mapping mapping, Activations activations) {
        StoredModel model = StoredModel.open(DEMO);
        Graph graph = model.config().graph().with(activations);
        WeightSource weights = QuantizedWeights.of(model.weights(), graph.projections(), 16);
        GraphFacts facts = new GraphFacts(graph);
        KvConfig shape =
                new KvConfig(4, 16, facts.layers(), facts.keyValueHeads(), facts.headDim(), KvDtype.F16, false, "demo");
        Target device = OnDevice.target();
        Target target = new Target(device.device(), device.backend(), mapping, device.limits(), device.compilerFlags());
        try (KvPool pool = new KvPool(shape);
                TornadoProgram program = new TornadoProgram(
                        graph, weights, pool, new ProgramLimits(4, 2, 64), target, 1, LoadProgress.NONE)) {
            return program.kernels();
        }
    }

    @ParameterizedTest
    @EnumSource(Activations.class)
    void aDeviceWhoseKernelsAreInOpenClCRunsNoOthers(Activations activations) {
        assertThat(kernels(Mapping.VECTORS, activations)).isInstanceOf(ClKernels.class);
    }

    @Test
    void aDeviceWhoseKernelsAreInJavaRunsNoOthers() {
        assertThat(kernels(Mapping.TILES, Activations.INT8)).isInstanceOf(JavaKernels.class);
    }
}
