package io.tutti.tornado;

import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.graph.Graph;
import io.tutti.kv.KvPool;
import io.tutti.modelio.weights.WeightSource;
import io.tutti.tornado.program.DeviceLimits;
import io.tutti.tornado.program.Mapping;
import io.tutti.tornado.program.Target;
import io.tutti.tornado.program.TornadoProgram;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import uk.ac.manchester.tornado.api.common.TornadoDevice;
import uk.ac.manchester.tornado.api.enums.TornadoDeviceType;
import uk.ac.manchester.tornado.api.enums.TornadoVMBackendType;

/** A device that TornadoVM reaches. */
final class TornadoVmDevice implements Device {

    private final TornadoDevice device;
    private final TornadoVMBackendType backend;
    private final int index;
    private final int threads;

    TornadoVmDevice(TornadoDevice device, TornadoVMBackendType backend, int index, int threads) {
        this.device = device;
        this.backend = backend;
        this.index = index;
        this.threads = threads;
    }

    @Override
    public String name() {
        return backend.name().toLowerCase(Locale.ROOT) + ":" + index;
    }

    @Override
    public String description() {
        return device.getPhysicalDevice().getDeviceName();
    }

    @Override
    public String driver() {
        return device.getPlatformName();
    }

    @Override
    public long memoryBytes() {
        return device.getMaxGlobalMemory();
    }

    @Override
    public List<String> properties() {
        return List.of();
    }

    @Override
    public Program compile(
            Graph graph, WeightSource weights, KvPool pool, ProgramLimits limits, LoadProgress progress) {
        Mapping mapping = device.getDeviceType() == TornadoDeviceType.CPU ? Mapping.TILES : Mapping.LANES;
        DeviceLimits room = new DeviceLimits(name(), memoryBytes(), device.getMaxAllocMemory());
        Target target = new Target(device, backend, mapping, room, Optional.of("-w"));
        return new TornadoProgram(graph, weights, pool, limits, target, threads, progress);
    }
}
