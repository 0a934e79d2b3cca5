package io.tutti.engine.host;

import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.graph.Graph;
import io.tutti.kv.KvPool;
import io.tutti.modelio.weights.WeightSource;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Optional;
import jdk.incubator.vector.FloatVector;

/** The processor that the JVM runs on. */
final class HostDevice implements Device {

    private final int threads;

    HostDevice(int threads) {
        this.threads = threads;
    }

    @Override
    public String name() {
        return Devices.HOST;
    }

    @Override
    public DeviceKind kind() {
        return DeviceKind.HOST;
    }

    @Override
    public String description() {
        return System.getProperty("os.arch") + " processor, "
                + Runtime.getRuntime().availableProcessors() + " cores";
    }

    @Override
    public String driver() {
        return System.getProperty("java.vm.name") + " " + Runtime.version();
    }

    @Override
    public long memoryBytes() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getTotalMemorySize();
    }

    @Override
    public List<String> properties() {
        return List.of(
                VectorApi.PRESENT ? FloatVector.SPECIES_PREFERRED.vectorBitSize() + "-bit vectors" : "no vectors");
    }

    @Override
    public Optional<String> note() {
        return VectorApi.PRESENT ? Optional.empty() : Optional.of(VectorApi.ADVICE);
    }

    @Override
    public Program compile(
            Graph graph, WeightSource weights, KvPool pool, ProgramLimits limits, LoadProgress progress) {
        return VectorApi.PRESENT
                ? new HostProgram(graph, weights, pool, threads, progress)
                : new PlainProgram(graph, weights, pool, limits, threads, progress);
    }
}
