package io.tutti.tornado;

import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvPool;
import io.tutti.modelio.weights.WeightSource;
import io.tutti.tornado.program.DeviceLimits;
import io.tutti.tornado.program.Mapping;
import io.tutti.tornado.program.Target;
import io.tutti.tornado.program.TornadoProgram;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The device, taken for one with less memory or smaller buffers, or that kernels are laid over in another way. */
public record ChangedDevice(Target target) implements Device {

    /** The device as it is. */
    public static ChangedDevice same() {
        return new ChangedDevice(OnDevice.target());
    }

    public ChangedDevice withMemoryBytes(long bytes) {
        return with(new DeviceLimits(name(), bytes, bufferBytes(), Long.MAX_VALUE));
    }

    public ChangedDevice withBufferBytes(long bytes) {
        return with(new DeviceLimits(name(), memoryBytes(), bytes, Long.MAX_VALUE));
    }

    private ChangedDevice with(DeviceLimits limits) {
        return new ChangedDevice(
                new Target(target.device(), target.backend(), target.mapping(), limits, target.compilerFlags()));
    }

    public ChangedDevice withGroupItems(long items) {
        return with(new DeviceLimits(name(), memoryBytes(), bufferBytes(), items));
    }

    public ChangedDevice withMapping(Mapping mapping) {
        return new ChangedDevice(
                new Target(target.device(), target.backend(), mapping, target.limits(), target.compilerFlags()));
    }

    public ChangedDevice withCompilerFlags(String flags) {
        return new ChangedDevice(
                new Target(target.device(), target.backend(), target.mapping(), target.limits(), Optional.of(flags)));
    }

    public ModelRunner load(Path dir, EngineConfig config) {
        return ModelRunner.load(dir, config, this, LoadProgress.NONE);
    }

    @Override
    public Program compile(
            Graph graph, WeightSource weights, KvPool pool, ProgramLimits limits, LoadProgress progress) {
        return new TornadoProgram(graph, weights, pool, limits, target, 2, progress);
    }

    @Override
    public String name() {
        return target.limits().name();
    }

    @Override
    public long memoryBytes() {
        return target.limits().memoryBytes();
    }

    @Override
    public long bufferBytes() {
        return target.limits().bufferBytes();
    }

    @Override
    public DeviceKind kind() {
        return OnDevice.device().kind();
    }

    @Override
    public String description() {
        return OnDevice.device().description();
    }

    @Override
    public String driver() {
        return OnDevice.device().driver();
    }

    @Override
    public List<String> properties() {
        return OnDevice.device().properties();
    }
}
