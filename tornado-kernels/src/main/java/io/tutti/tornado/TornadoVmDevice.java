package io.tutti.tornado;

import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.backend.Unsupported;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.selftest.DeviceNotes;
import io.tutti.kv.KvPool;
import io.tutti.modelio.weights.WeightSource;
import io.tutti.tornado.config.BackendKind;
import io.tutti.tornado.config.CompilerFlags;
import io.tutti.tornado.config.DeviceName;
import io.tutti.tornado.config.TornadoSdk;
import io.tutti.tornado.program.DeviceLimits;
import io.tutti.tornado.program.KernelSupport;
import io.tutti.tornado.program.Mapping;
import io.tutti.tornado.program.Target;
import io.tutti.tornado.program.TornadoProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
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
    private KernelChoice choice;

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
        return driverAlone() + ", kernels in " + choice().mapping().text();
    }

    private String driverAlone() {
        return facts.driver() + "; TornadoVM " + TornadoSdk.VERSION
                + compilerFlags.map(flags -> ", compiled with " + flags).orElse("");
    }

    /** The kernels for this device; the first to ask may have to wait until all that suit it have been tried. */
    private synchronized KernelChoice choice() {
        if (choice == null) {
            choice = KernelChoice.among(
                    mappings(),
                    circumstances(),
                    DeviceNotes.ofUser("kernels", "How long a device's kernels took; delete it to try again."),
                    mapping -> new KernelTrial(target(mapping), threads));
        }
        return choice;
    }

    private List<Mapping> mappings() {
        if (kind() != DeviceKind.CPU) {
            return List.of(Mapping.LANES);
        }
        return name.backend() == BackendKind.OPENCL ? List.of(Mapping.VECTORS, Mapping.TILES) : List.of(Mapping.TILES);
    }

    private Map<String, String> circumstances() {
        try {
            return DeviceNotes.circumstances(name(), kind(), description(), driverAlone());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
        return Stream.concat(facts.properties().stream(), Stream.of(choice().text()))
                .toList();
    }

    @Override
    public List<Unsupported> unsupported(Graph graph, WeightSource weights) {
        return KernelSupport.missing(graph, weights);
    }

    @Override
    public Program compile(
            Graph graph, WeightSource weights, KvPool pool, ProgramLimits limits, LoadProgress progress) {
        return new TornadoProgram(graph, weights, pool, limits, target(), threads, progress);
    }

    Target target() {
        return target(choice().mapping());
    }

    /** The device with kernels laid over it in this way. */
    private Target target(Mapping mapping) {
        DeviceLimits room = new DeviceLimits(name(), memoryBytes(), bufferBytes(), facts.groupItems());
        return new Target(device, backend, mapping, room, compilerFlags);
    }
}
