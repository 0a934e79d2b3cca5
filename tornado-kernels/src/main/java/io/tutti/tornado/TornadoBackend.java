package io.tutti.tornado;

import io.tutti.engine.backend.Backend;
import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.Unavailable;
import io.tutti.tornado.config.BackendKind;
import io.tutti.tornado.config.DeviceName;
import io.tutti.tornado.config.JvmOptions;
import io.tutti.tornado.config.TornadoProperty;
import io.tutti.tornado.config.TornadoSdk;
import io.tutti.tornado.program.DeviceFailures;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import uk.ac.manchester.tornado.api.TornadoRuntime;
import uk.ac.manchester.tornado.api.exceptions.TornadoInternalError;
import uk.ac.manchester.tornado.api.runtime.TornadoRuntimeProvider;

/** The devices that TornadoVM reaches, through OpenCL, PTX or SPIR-V. */
public final class TornadoBackend implements Backend {

    /** What TornadoVM says of a machine without a driver, before it says something untrue. */
    private static final String NO_PLATFORM = "platforms found";

    private final List<Unavailable> unavailable = new ArrayList<>();

    /**
     * The devices in TornadoVM's own order; none in a JVM that was not started with {@link JvmOptions}, as the launcher does where
     * the host is all that is asked for.
     *
     * @throws io.tutti.tornado.config.TornadoSdkException if the SDK cannot be used
     */
    @Override
    public List<Device> devices(BackendOptions options) {
        Optional<TornadoSdk> sdk = TornadoSdk.find();
        if (sdk.isEmpty() || !JvmOptions.inForce()) {
            return List.of();
        }
        TornadoProperty.setAll(sdk.get());
        Optional<TornadoRuntime> runtime = runtime(sdk.get());
        return runtime.isEmpty() ? List.of() : devices(runtime.get(), options);
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

    private List<Device> devices(TornadoRuntime runtime, BackendOptions options) {
        List<Device> devices = new ArrayList<>();
        for (int b = 0; b < runtime.getNumBackends(); b++) {
            String type = runtime.getBackendType(b).name().toLowerCase(Locale.ROOT);
            Optional<BackendKind> kind = BackendKind.of(type);
            if (kind.isEmpty()) {
                unavailable.add(new Unavailable(type, "no kernels are written for it"));
                continue;
            }
            for (int d = 0; d < runtime.getBackend(b).getNumDevices(); d++) {
                devices.add(new TornadoVmDevice(
                        new DeviceName(kind.get(), d),
                        runtime.getBackend(b).getDevice(d),
                        runtime.getBackendType(b),
                        options.threads()));
            }
        }
        return devices;
    }

    @Override
    public List<Unavailable> unavailable() {
        return unavailable;
    }
}
