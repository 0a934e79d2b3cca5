package io.tutti.tornado;

import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.tornado.program.Target;
import java.nio.file.Path;
import java.util.List;

/** The device that tests run on: the first that TornadoVM reaches. */
public final class OnDevice {

    private static final TornadoVmDevice DEVICE = first();

    private OnDevice() {}

    private static TornadoVmDevice first() {
        List<Device> devices = new TornadoBackend().devices(new BackendOptions(2));
        if (devices.isEmpty()) {
            throw new AssertionError("TornadoVM reaches no device. Without a GPU, PoCL is one (pocl-opencl-icd)");
        }
        return (TornadoVmDevice) devices.getFirst();
    }

    public static Device device() {
        return DEVICE;
    }

    /** Whether the driver is PoCL, whose ways of failing some tests know. */
    public static boolean isPocl() {
        return DEVICE.driver().startsWith("Portable Computing Language");
    }

    /** What programs on the device are compiled for, for tests that change some of it. */
    public static Target target() {
        return DEVICE.target();
    }

    public static ModelRunner load(Path dir, EngineConfig config) {
        return ModelRunner.load(dir, config, DEVICE, LoadProgress.NONE);
    }
}
