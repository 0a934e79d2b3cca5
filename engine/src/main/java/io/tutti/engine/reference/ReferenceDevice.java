package io.tutti.engine.reference;

import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.numerics.Numerics;
import io.tutti.kv.KvPool;
import io.tutti.modelio.weights.WeightSource;
import io.tutti.sample.ParallelFor;
import java.util.List;

/**
 * Runs graphs by {@link Numerics} alone, one number at a time. It is no backend that a user could choose: other devices are
 * compared with it.
 */
public final class ReferenceDevice implements Device {

    private final ParallelFor parallel;

    public ReferenceDevice() {
        this(ParallelFor.SERIAL);
    }

    /** @param parallel runs loops over outputs, whose sums it leaves alone */
    public ReferenceDevice(ParallelFor parallel) {
        this.parallel = parallel;
    }

    @Override
    public String name() {
        return "reference";
    }

    @Override
    public DeviceKind kind() {
        return DeviceKind.HOST;
    }

    @Override
    public String description() {
        return "the normative arithmetic in plain Java";
    }

    @Override
    public String driver() {
        return "Java " + Runtime.version();
    }

    @Override
    public long memoryBytes() {
        return Runtime.getRuntime().maxMemory();
    }

    @Override
    public List<String> properties() {
        return List.of();
    }

    @Override
    public Program compile(
            Graph graph, WeightSource weights, KvPool pool, ProgramLimits limits, LoadProgress progress) {
        return new ReferenceProgram(graph, weights, pool, parallel, progress);
    }
}
