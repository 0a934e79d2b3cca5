package io.tutti.tornado;

import io.tutti.engine.backend.Backend;
import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.Unavailable;
import io.tutti.tornado.config.JvmOptions;
import io.tutti.tornado.config.TornadoProperty;
import io.tutti.tornado.config.TornadoSdk;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The devices that TornadoVM reaches, through OpenCL, PTX or SPIR-V. */
public final class TornadoBackend implements Backend {

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
        TornadoDevices found = TornadoDevices.find(sdk.get(), options);
        unavailable.addAll(found.unavailable());
        return found.list();
    }

    @Override
    public List<Unavailable> unavailable() {
        return unavailable;
    }
}
