package io.tutti.cli.command;

import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.RefusedException;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.backend.Unavailable;
import io.tutti.engine.selftest.Verdict;
import io.tutti.engine.selftest.Verdict.Approximate;
import io.tutti.engine.selftest.Verdict.Broken;
import io.tutti.engine.selftest.Verdict.Exact;
import io.tutti.tornado.config.TornadoSdk;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The device of a run.
 *
 * @param verdict of its self-test
 * @param note what there is to say about the choice, once the model has loaded
 */
record DeviceChoice(Device device, Verdict verdict, Optional<String> note) {

    /** How to get at other devices than the host. */
    static final String MORE = "more devices need a TornadoVM SDK: " + TornadoSdk.INSTALL;

    private static final String AUTO = "auto";

    /**
     * The device called {@code name}. For {@code auto} the GPU or accelerator with the most memory whose self-test is exact, or
     * else the host: a processor behind a device runtime is slower than the host is on it, so nothing is tested for its sake.
     *
     * @param test tests a device, or knows its verdict
     * @throws RefusedException if there is none of that name, or its self-test finds it broken
     */
    static DeviceChoice of(String name, Devices devices, Function<Device, Verdict> test) {
        if (name.equals(AUTO)) {
            return auto(devices, test);
        }
        Device device = devices.named(name).orElseThrow(() -> new RefusedException(missing(name, devices)));
        Verdict verdict = verdict(device, test);
        return switch (verdict) {
            case Exact _ -> new DeviceChoice(device, verdict, Optional.empty());
            case Approximate approximate ->
                new DeviceChoice(device, verdict, Optional.of("device " + name + " is " + approximate.text()));
            case Broken broken ->
                throw new RefusedException("--device is " + OneLine.quote(name) + ", whose self-test fails: "
                        + broken.reason() + "; accepted: auto, or another of " + names(devices));
        };
    }

    private static DeviceChoice auto(Devices devices, Function<Device, Verdict> test) {
        StringBuilder passedOver = new StringBuilder();
        for (Device device : fasterThanHost(devices)) {
            Verdict verdict = test.apply(device);
            if (verdict instanceof Exact) {
                return chosen(device, passedOver);
            }
            passedOver.append("; ").append(device.name()).append(" is ").append(verdict.text());
        }
        devices.unavailable().forEach(backend -> passedOver.append("; ").append(backend.text()));
        Device host = devices.named(Devices.HOST)
                .orElseThrow(() -> new RefusedException("--device is auto, and no device is exact" + passedOver));
        return chosen(host, passedOver);
    }

    private static List<Device> fasterThanHost(Devices devices) {
        return devices.list().stream()
                .filter(device -> switch (device.kind()) {
                    case GPU, ACCELERATOR -> true;
                    case HOST, CPU -> false;
                })
                .sorted(Comparator.comparingLong(Device::memoryBytes).reversed())
                .toList();
    }

    private static DeviceChoice chosen(Device device, StringBuilder passedOver) {
        return new DeviceChoice(
                device,
                new Exact(),
                Optional.of("device " + device.name() + " (" + device.description() + ")" + passedOver));
    }

    /** The host is always there, and the product's own tests hold it to the reference: it is not tested in every run. */
    private static Verdict verdict(Device device, Function<Device, Verdict> test) {
        return device.kind() == DeviceKind.HOST ? new Exact() : test.apply(device);
    }

    /** Why there is no device of this name, and what there is. */
    static String missing(String name, Devices devices) {
        String reasons = relevant(name, devices.unavailable()).stream()
                .map(Unavailable::text)
                .collect(Collectors.joining("; "));
        return "--device is " + OneLine.quote(name) + ", which is not there"
                + (reasons.isEmpty() ? "" : " (" + reasons + ")")
                + ForeignDevice.meaning(name)
                        .map(meant -> "; here that is " + meant + ", as `tutti devices` lists them")
                        .orElse("")
                + "; accepted: auto, " + names(devices)
                + (devices.hostOnly() ? "; " + MORE : "");
    }

    /** The named backend's reason; those of all if none has that name, for a backend that fails early has no name yet. */
    private static List<Unavailable> relevant(String name, List<Unavailable> unavailable) {
        List<Unavailable> named = unavailable.stream()
                .filter(backend -> name.startsWith(backend.backend() + ":"))
                .toList();
        return named.isEmpty() ? unavailable : named;
    }

    private static String names(Devices devices) {
        return devices.list().stream().map(Device::name).collect(Collectors.joining(", "));
    }
}
