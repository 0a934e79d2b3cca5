package io.tutti.tornado.program;

import java.util.Optional;
import uk.ac.manchester.tornado.api.common.TornadoDevice;
import uk.ac.manchester.tornado.api.enums.TornadoVMBackendType;

/**
 * The device that a program is for.
 *
 * @param device TornadoVM's
 * @param backend the backend it belongs to
 * @param mapping how kernels are laid over it
 * @param limits its memory
 * @param compilerFlags what its compiler is told, so that arithmetic is IEEE 754's; empty for its defaults
 */
public record Target(
        TornadoDevice device,
        TornadoVMBackendType backend,
        Mapping mapping,
        DeviceLimits limits,
        Optional<String> compilerFlags) {

    /** The device's compute units: a CPU's threads. */
    int units() {
        return device.getPhysicalDevice().getDeviceMaxComputeUnits();
    }
}
