package io.tutti.cli.command;

import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.backend.Verdict;
import io.tutti.engine.graph.Graph;
import io.tutti.kv.KvPool;
import io.tutti.modelio.weights.WeightSource;
import java.util.List;

/**
 * A device that runs nothing.
 *
 * @param verdict what its self-test would find
 */
record FakeDevice(String name, DeviceKind kind, long memoryBytes, Verdict verdict) implements Device {
    @Override
    public String description() {
        return "a board";
    }

    @Override
    public String driver() {
        return "driver 7";
    }

    @Override
    public List<String> properties() {
        return List.of("work-groups of 256", "no fp16");
    }

    @Override
    public Program compile(
            Graph graph, WeightSource weights, KvPool pool, ProgramLimits limits, LoadProgress progress) {
        throw new UnsupportedOperationException();
    }
}
