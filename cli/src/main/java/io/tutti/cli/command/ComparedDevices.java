package io.tutti.cli.command;

import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.RefusedException;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.reference.ReferenceDevice;
import io.tutti.engine.selftest.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The devices of a comparison, the one that the others are compared with first. What their self-tests say refuses none of
 * them: a comparison is how one learns more.
 *
 * @param devices at least one
 * @param verdicts what the self-tests of those that were tested say
 */
record ComparedDevices(List<Device> devices, Map<Device, Verdict> verdicts) {

    /** The devices called {@code names}, or all of {@code available}; and the reference, where it is asked for. */
    static ComparedDevices of(Optional<List<String>> names, List<Device> available, Function<Device, Verdict> test) {
        List<Device> nameable = new ArrayList<>(available);
        nameable.add(new ReferenceDevice());
        List<Device> chosen = names.map(
                        list -> list.stream().map(name -> named(name, nameable)).toList())
                .orElse(available);
        Map<Device, Verdict> verdicts = new LinkedHashMap<>();
        for (Device device : chosen) {
            if (isTested(device)) {
                verdicts.put(device, test.apply(device));
            }
        }
        return new ComparedDevices(chosen, verdicts);
    }

    /** The host's bits are the product's own tests' business, and the reference defines what is right. */
    private static boolean isTested(Device device) {
        return device.kind() != DeviceKind.HOST && !(device instanceof ReferenceDevice);
    }

    private static Device named(String name, List<Device> nameable) {
        return nameable.stream()
                .filter(device -> device.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new RefusedException("--device has " + OneLine.quote(name)
                        + ", which is not there; accepted: auto, or any of "
                        + String.join(",", nameable.stream().map(Device::name).toList())));
    }

    /** Notes on those that are not exact. */
    List<String> notes() {
        return verdicts.entrySet().stream()
                .filter(entry -> !(entry.getValue() instanceof Verdict.Exact))
                .map(entry -> "device " + entry.getKey().name() + " is "
                        + entry.getValue().text())
                .toList();
    }
}
