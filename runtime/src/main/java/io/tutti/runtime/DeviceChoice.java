package io.tutti.runtime;

import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.backend.Verdict;
import io.tutti.engine.backend.Verdict.Approximate;
import io.tutti.engine.backend.Verdict.Broken;
import io.tutti.engine.backend.Verdict.Exact;
import io.tutti.engine.selftest.VerdictCache;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The device of a run.
 *
 * @param verdict of its self-test
 * @param note what there is to say about the choice, once the model has loaded
 */
public record DeviceChoice(Device device, Verdict verdict, Optional<String> note) {

    static final String AUTO = "auto";

    /**
     * The device called {@code name}, tested where that is needed; verdicts are kept in the user's cache.
     *
     * @param name a device's name, or {@code auto}
     * @throws DeviceChoiceException if there is none of that name, or its self-test finds it broken
     */
    public static DeviceChoice of(String name, Devices devices) {
        return of(name, devices, VerdictCache.ofUser()::verdict);
    }

    /**
     * The device called {@code name}. For {@code auto} the GPU or accelerator with the most memory whose self-test is exact, or
     * else the host: a processor behind a device runtime is slower than the host is on it, so nothing is tested for its sake.
     *
     * @param test tests a device, or knows its verdict
     * @throws DeviceChoiceException if there is none of that name, or its self-test finds it broken
     */
    public static DeviceChoice of(String name, Devices devices, Function<Device, Verdict> test) {
        if (name.equals(AUTO)) {
            return auto(devices, test);
        }
        Device device = devices.named(name).orElseThrow(() -> new DeviceChoiceException.Unknown(name, devices));
        Verdict verdict = verdict(device, test);
        return switch (verdict) {
            case Exact _ -> new DeviceChoice(device, verdict, Optional.empty());
            case Approximate approximate ->
                new DeviceChoice(device, verdict, Optional.of("device " + name + " is " + approximate.text()));
            case Broken broken -> throw new DeviceChoiceException.Broken(name, broken.reason(), devices);
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
                .orElseThrow(() -> new DeviceChoiceException.NoneExact(passedOver.toString()));
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
}
