package io.tutti.tornado;

import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.graph.Graph;
import io.tutti.kv.KvPool;
import io.tutti.modelio.weights.WeightSource;
import io.tutti.tornado.config.CompilerFlags;
import io.tutti.tornado.config.DeviceName;
import io.tutti.tornado.config.TornadoSdk;
import io.tutti.tornado.program.DeviceLimits;
import io.tutti.tornado.program.Mapping;
import io.tutti.tornado.program.Target;
import io.tutti.tornado.program.TornadoProgram;
import java.util.List;
import java.util.Optional;
import uk.ac.manchester.tornado.api.common.TornadoDevice;
import uk.ac.manchester.tornado.api.enums.TornadoVMBackendType;

/** A device that TornadoVM reaches. */
final class TornadoVmDevice implements Device {

    private final DeviceName name;
    private final TornadoDevice device;
    private final TornadoVMBackendType backend;
    private final DeviceFacts facts;
    private final Optional<String> compilerFlags;
    private final int threads;

    /** @param threads host threads that repack weights */
    TornadoVmDevice(DeviceName name, TornadoDevice device, TornadoVMBackendType backend, int threads) {
        this.name = name;
        this.device = device;
        this.backend = backend;
        this.threads = threads;
        facts = new DeviceFacts(device);
        compilerFlags = switch (name.backend()) {
            case OPENCL, SPIRV -> Optional.of(CompilerFlags.openCl(facts.roundsDivisions()));
            case PTX -> Optional.empty();
        };
    }

    @Override
    public String name() {
        return name.toString();
    }

    @Override
    public DeviceKind kind() {
        return facts.kind();
    }

    @Override
    public String description() {
        return facts.name();
    }

    @Override
    public String driver() {
        return facts.driver() + "; TornadoVM " + TornadoSdk.VERSION
                + compilerFlags.map(flags -> ", compiled with " + flags).orElse("");
    }

    @Override
    public long memoryBytes() {
        return device.getMaxGlobalMemory();
    }

    @Override
    public long bufferBytes() {
        return Math.min(device.getMaxAllocMemory(), KvPool.MAX_REGION_BYTES);
    }

    @Override
    public List<String> properties() {
        return facts.properties();
    }

    @Override
    public Program compile(
            Graph graph, WeightSource weights, KvPool pool, ProgramLimits limits, LoadProgress progress) {
        return new TornadoProgram(graph, weights, pool, limits, target(), threads, progress);
    }

    Target target() {
        Mapping mapping = kind() == DeviceKind.CPU ? Mapping.VECTORS : Mapping.LANES;
        DeviceLimits room = new DeviceLimits(name(), memoryBytes(), bufferBytes(), facts.groupItems());
        return new Target(device, backend, mapping, room, compilerFlags);
    }
}
