package io.tutti.cli.command;

import io.tutti.cli.console.RefusedException;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.backend.Verdict;
import io.tutti.engine.reference.ReferenceDevice;
import io.tutti.runtime.DeviceChoiceException;
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

    /**
     * The devices called {@code names}, or all of {@code available}; and the reference, where it is asked for.
     *
     * @param test tests a device, or knows its verdict
     * @throws RefusedException if there is none of a name
     */
    static ComparedDevices of(Optional<List<String>> names, Devices available, Function<Device, Verdict> test) {
        Device reference = new ReferenceDevice();
        List<Device> chosen = names.map(list -> list.stream()
                        .map(name -> name.equals(reference.name()) ? reference : named(name, available))
                        .toList())
                .orElse(available.list());
        Map<Device, Verdict> verdicts = new LinkedHashMap<>();
        for (Device device : chosen) {
            // The host's bits are the product's own tests' business, and the reference defines what is right.
            if (device.kind() != DeviceKind.HOST) {
                verdicts.put(device, test.apply(device));
            }
        }
        return new ComparedDevices(chosen, verdicts);
    }

    private static Device named(String name, Devices available) {
        return available
                .named(name)
                .orElseThrow(() -> DeviceRefusals.unknown(new DeviceChoiceException.Unknown(name, available)));
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
