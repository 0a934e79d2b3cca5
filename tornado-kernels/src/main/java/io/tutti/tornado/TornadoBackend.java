package io.tutti.tornado;

import io.tutti.engine.backend.Backend;
import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import java.util.ArrayList;
import java.util.List;
import uk.ac.manchester.tornado.api.TornadoRuntime;
import uk.ac.manchester.tornado.api.runtime.TornadoRuntimeProvider;

/** The devices that TornadoVM reaches, through OpenCL, PTX or SPIR-V. */
public final class TornadoBackend implements Backend {

    @Override
    public List<Device> devices(BackendOptions options) {
        System.setProperty("tornado.recover.bailout", "False");
        System.setProperty("tornado.opencl.compiler.flags", "-w");
        System.setProperty("tornado.enable.mathOptimizations", "False");
        System.setProperty("tornado.enable.nativeFunctions", "False");
        System.setProperty("tornado.max.events", "1024");
        System.setProperty("tornado.device.memory", "4EB");
        TornadoRuntime runtime = TornadoRuntimeProvider.getTornadoRuntime();
        List<Device> devices = new ArrayList<>();
        for (int b = 0; b < runtime.getNumBackends(); b++) {
            for (int d = 0; d < runtime.getBackend(b).getNumDevices(); d++) {
                devices.add(new TornadoVmDevice(
                        runtime.getBackend(b).getDevice(d), runtime.getBackendType(b), d, options.threads()));
            }
        }
        return devices;
    }
}
