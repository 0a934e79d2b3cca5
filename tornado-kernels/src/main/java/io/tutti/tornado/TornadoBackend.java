package io.tutti.tornado;

import io.tutti.engine.backend.Backend;
import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceException;
import io.tutti.engine.backend.Unavailable;
import io.tutti.tornado.config.BackendKind;
import io.tutti.tornado.config.DeviceName;
import io.tutti.tornado.config.JvmOptions;
import io.tutti.tornado.config.TornadoProperty;
import io.tutti.tornado.config.TornadoSdk;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import uk.ac.manchester.tornado.api.TornadoRuntime;
import uk.ac.manchester.tornado.api.runtime.TornadoRuntimeProvider;

/** The devices that TornadoVM reaches, through OpenCL, PTX or SPIR-V. */
public final class TornadoBackend implements Backend {

    private final List<Unavailable> unavailable = new ArrayList<>();

    /**
     * The devices in TornadoVM's own order.
     *
     * @throws DeviceException if this JVM was not started for TornadoVM
     * @throws io.tutti.tornado.config.TornadoSdkException if the SDK cannot be used
     */
    @Override
    public List<Device> devices(BackendOptions options) {
        Optional<TornadoSdk> sdk = TornadoSdk.find();
        if (sdk.isEmpty()) {
            return List.of();
        }
        if (!JvmOptions.inForce()) {
            throw new DeviceException(
                    "the JVM was not started with the options of " + sdk.get().home());
        }
        TornadoProperty.setAll(sdk.get());
        TornadoRuntime runtime = TornadoRuntimeProvider.getTornadoRuntime();
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
