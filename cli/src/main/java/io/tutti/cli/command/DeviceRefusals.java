package io.tutti.cli.command;

import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.RefusedException;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.backend.Verdict;
import io.tutti.engine.selftest.VerdictCache;
import io.tutti.runtime.DeviceChoice;
import io.tutti.runtime.DeviceChoiceException;
import io.tutti.tornado.config.TornadoSdk;
import java.util.function.Function;

/** Chooses devices, and refuses in words of the command line. */
final class DeviceRefusals {

    /** How to get more devices than the host. */
    static final String MORE = "more devices need a TornadoVM SDK: " + TornadoSdk.INSTALL;

    private DeviceRefusals() {}

    /**
     * The device that {@code --device} names.
     *
     * @throws RefusedException if there is none of that name, or its self-test finds it broken
     */
    static DeviceChoice choose(String name, Devices devices) {
        return choose(name, devices, VerdictCache.ofUser()::verdict);
    }

    static DeviceChoice choose(String name, Devices devices, Function<Device, Verdict> test) {
        try {
            return DeviceChoice.of(name, devices, test);
        } catch (DeviceChoiceException.Unknown e) {
            throw unknown(e);
        } catch (DeviceChoiceException e) {
            throw new RefusedException("--" + e.getMessage(), e);
        }
    }

    /** The refusal of a name that no device has: why, what it may mean, and what there is. */
    static RefusedException unknown(DeviceChoiceException.Unknown e) {
        Devices devices = e.devices();
        return new RefusedException(
                "--device is " + OneLine.quote(e.name()) + ", which is not there" + e.reasons()
                        + ForeignDevice.meaning(e.name())
                                .map(meant -> "; here that is " + meant + ", as `tutti devices` lists them")
                                .orElse("")
                        + "; accepted: auto, " + DeviceChoiceException.names(devices)
                        + (devices.hostOnly() ? "; " + MORE : ""),
                e);
    }
}
