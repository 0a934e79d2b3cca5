package io.tutti.cli;

import io.tutti.engine.backend.Backend;
import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.Unavailable;
import io.tutti.tornado.config.TornadoSdk;
import io.tutti.tornado.config.TornadoSdkException;
import java.nio.file.Path;
import java.util.List;

/**
 * Says why there is no TornadoVM backend although there is an SDK. A build for an SDK that cannot be used has no kernels,
 * so nobody else could.
 */
public final class SdkCheck implements Backend {
    private final String home;

    /** For {@link java.util.ServiceLoader}. The launcher exports the SDK that it finds. */
    public SdkCheck() {
        this(System.getenv().getOrDefault("TORNADOVM_HOME", ""));
    }

    /** @param home the SDK's folder; empty if there is none */
    SdkCheck(String home) {
        this.home = home;
    }

    @Override
    public List<Device> devices(BackendOptions options) {
        return List.of();
    }

    @Override
    public List<Unavailable> unavailable() {
        if (home.isEmpty()) {
            return List.of();
        }
        try {
            TornadoSdk.read(Path.of(home));
            return List.of();
        } catch (TornadoSdkException e) {
            return List.of(new Unavailable("TornadoVM", e.getMessage()));
        }
    }
}
