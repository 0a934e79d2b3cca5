package io.tutti.cli.command;

import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.RefusedException;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.selftest.SelfTest;
import io.tutti.engine.selftest.Verdict;
import io.tutti.engine.selftest.Verdict.Approximate;
import io.tutti.engine.selftest.Verdict.Broken;
import io.tutti.engine.selftest.Verdict.Exact;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The device of a run.
 *
 * @param note what there is to say about the choice, once the model has loaded
 */
record DeviceChoice(Device device, Optional<String> note) {

    private static final String AUTO = "auto";

    /**
     * The device called {@code name}; for {@code auto} the first whose self-test is exact, or else the host.
     *
     * @param devices all there are, the host first, then the others, best first
     * @throws RefusedException if there is none of that name, or its self-test finds it broken
     */
    static DeviceChoice of(String name, List<Device> devices) {
        if (name.equals(AUTO)) {
            return auto(devices);
        }
        Device device = named(name, devices)
                .orElseThrow(() -> new RefusedException("--device is " + OneLine.quote(name)
                        + ", which is not there; accepted: auto, " + names(devices)));
        return switch (verdict(device)) {
            case Exact _ -> new DeviceChoice(device, Optional.empty());
            case Approximate approximate ->
                new DeviceChoice(device, Optional.of("device " + name + " is " + approximate.text()));
            case Broken broken ->
                throw new RefusedException("--device is " + OneLine.quote(name) + ", whose self-test fails: "
                        + broken.reason() + "; accepted: auto, or another of " + names(devices));
        };
    }

    private static DeviceChoice auto(List<Device> devices) {
        StringBuilder passedOver = new StringBuilder();
        for (Device device : devices) {
            if (device.name().equals(Devices.HOST)) {
                continue;
            }
            Verdict verdict = verdict(device);
            if (verdict instanceof Exact) {
                return chosen(device, passedOver);
            }
            passedOver.append("; ").append(device.name()).append(" is ").append(verdict.text());
        }
        Device host = named(Devices.HOST, devices)
                .orElseThrow(() -> new RefusedException("--device is auto, and no device is exact" + passedOver));
        return chosen(host, passedOver);
    }

    private static DeviceChoice chosen(Device device, StringBuilder passedOver) {
        return new DeviceChoice(
                device, Optional.of("device " + device.name() + " (" + device.description() + ")" + passedOver));
    }

    /** The host is always there, and the product's own tests hold it to the reference: it is not tested in every run. */
    private static Verdict verdict(Device device) {
        return device.name().equals(Devices.HOST) ? new Exact() : SelfTest.run(device);
    }

    private static Optional<Device> named(String name, List<Device> devices) {
        return devices.stream().filter(device -> device.name().equals(name)).findFirst();
    }

    private static String names(List<Device> devices) {
        return devices.stream().map(Device::name).collect(Collectors.joining(", "));
    }
}
