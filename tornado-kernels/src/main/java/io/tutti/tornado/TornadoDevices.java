package io.tutti.tornado;

import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.Unavailable;
import io.tutti.tornado.config.BackendKind;
import io.tutti.tornado.config.DeviceName;
import io.tutti.tornado.config.TornadoSdk;
import io.tutti.tornado.program.DeviceFailures;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import uk.ac.manchester.tornado.api.TornadoRuntime;
import uk.ac.manchester.tornado.api.exceptions.TornadoInternalError;
import uk.ac.manchester.tornado.api.runtime.TornadoRuntimeProvider;

/**
 * What TornadoVM finds, in its own order. A JVM that was not started for TornadoVM cannot load this class.
 *
 * @param unavailable what cannot be used, and why
 */
record TornadoDevices(List<Device> list, List<Unavailable> unavailable) {

    /** What TornadoVM says of a machine without a driver, before it says something untrue. */
    private static final String NO_PLATFORM = "platforms found";

    static TornadoDevices find(TornadoSdk sdk, BackendOptions options) {
        TornadoDevices found = new TornadoDevices(new ArrayList<>(), new ArrayList<>());
        found.runtime(sdk).ifPresent(runtime -> found.add(runtime, options));
        return found;
    }

    /** TornadoVM, unless it finds no driver: one backend without one takes all of the SDK's down. */
    private Optional<TornadoRuntime> runtime(TornadoSdk sdk) {
        try {
            return Optional.of(TornadoRuntimeProvider.getTornadoRuntime());
        } catch (RuntimeException | LinkageError | TornadoInternalError e) {
            String reason = DeviceFailures.reason(e);
            for (BackendKind kind : sdk.kernelBackends()) {
                unavailable.add(
                        new Unavailable(kind.toString(), reason.contains(NO_PLATFORM) ? missingDriver(kind) : reason));
            }
            return Optional.empty();
        }
    }

    private static String missingDriver(BackendKind kind) {
        return switch (kind) {
            case OPENCL ->
                "no OpenCL driver is installed; a GPU's comes with its vendor's software, PoCL makes a device of any CPU";
            case PTX -> "no CUDA driver is installed";
            case SPIRV -> "no OpenCL or Level Zero driver is installed that takes SPIR-V";
        };
    }

    private void add(TornadoRuntime runtime, BackendOptions options) {
        for (int b = 0; b < runtime.getNumBackends(); b++) {
            String type = runtime.getBackendType(b).name().toLowerCase(Locale.ROOT);
            Optional<BackendKind> kind = BackendKind.of(type);
            if (kind.isEmpty()) {
                unavailable.add(new Unavailable(type, "no kernels are written for it"));
                continue;
            }
            for (int d = 0; d < runtime.getBackend(b).getNumDevices(); d++) {
                list.add(new TornadoVmDevice(
                        new DeviceName(kind.get(), d),
                        runtime.getBackend(b).getDevice(d),
                        runtime.getBackendType(b),
                        options.threads()));
            }
        }
    }
}
