package io.tutti.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.RefusedException;
import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.backend.Unavailable;
import io.tutti.engine.backend.Verdict;
import io.tutti.engine.backend.Verdict.Approximate;
import io.tutti.engine.backend.Verdict.Broken;
import io.tutti.engine.backend.Verdict.Exact;
import io.tutti.engine.selftest.VerdictCache;
import io.tutti.runtime.Sizes;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Every device, and whether it gives the reference's bits. */
@Command(
        name = "devices",
        customSynopsis = "tutti devices [--fresh] [--json]",
        header = "List the devices, each tested for exact bits.",
        description = {
            "Every device runs small models with random weights, and each number is compared with plain Java's:",
            "exact (the same bits), approximate (and where it differs, and by how much), or broken. What was found is",
            "remembered for as long as the device, its driver, the JVM and Tutti stay the same."
        })
public final class DevicesCommand implements Callable<Integer> {

    private final Console console;

    @Option(names = "--fresh", description = "Test every device again, whatever was found before.")
    private boolean fresh;

    @Option(names = "--json", description = "Print one JSON object instead.")
    private boolean json;

    public DevicesCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        VerdictCache verdicts = VerdictCache.ofUser();
        Devices devices = Devices.find(BackendOptions.defaults());
        list(devices, fresh ? verdicts::test : verdicts::verdict);
        return ExitCode.DONE;
    }

    /**
     * Prints each device when its verdict is there, then what cannot be used.
     *
     * @throws RefusedException if there is something to reach other devices by, and all that there is cannot be used
     */
    void list(Devices devices, Function<Device, Verdict> test) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        ArrayNode array = object.putArray("devices");
        for (Device device : devices.list()) {
            console.interrupts().check();
            Verdict verdict = test.apply(device);
            if (json) {
                array.add(json(device, verdict));
            } else {
                print(device, verdict);
            }
        }
        if (json) {
            addUnavailable(object, devices);
            console.println(object.toString());
        } else if (!inVain(devices)) {
            printUnavailable(devices);
        }
        console.requireWritten();
        if (inVain(devices)) {
            throw new RefusedException(
                    devices.unavailable().stream().map(Unavailable::text).collect(Collectors.joining("; ")));
        }
    }

    /** Whoever has an SDK, and gets no device by it, has something to mend. */
    private static boolean inVain(Devices devices) {
        return devices.list().stream().allMatch(device -> device.kind() == DeviceKind.HOST)
                && !devices.unavailable().isEmpty();
    }

    private void printUnavailable(Devices devices) {
        devices.unavailable().forEach(backend -> console.println(OneLine.of(backend.text())));
        if (devices.hostOnly()) {
            console.println("Nothing but the host is here; " + DeviceRefusals.MORE + ".");
        }
    }

    private static void addUnavailable(ObjectNode object, Devices devices) {
        ArrayNode unavailable = object.putArray("unavailable");
        for (Unavailable backend : devices.unavailable()) {
            unavailable.addObject().put("backend", backend.backend()).put("reason", backend.reason());
        }
        if (devices.hostOnly()) {
            object.put("more", DeviceRefusals.MORE);
        }
    }

    private void print(Device device, Verdict verdict) {
        console.println(device.name());
        line("kind", kind(device));
        line("device", device.description());
        line("driver", device.driver());
        line("memory", Sizes.text(device.memoryBytes()));
        if (!device.properties().isEmpty()) {
            line("properties", String.join(", ", device.properties()));
        }
        line("self-test", verdict.text());
        console.flush();
    }

    private static String kind(Device device) {
        return device.kind().name().toLowerCase(Locale.ROOT);
    }

    private void line(String label, String value) {
        console.println("  %-11s %s".formatted(label, value));
    }

    private static ObjectNode json(Device device, Verdict verdict) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("name", device.name());
        object.put("kind", kind(device));
        object.put("description", device.description());
        object.put("driver", device.driver());
        object.put("memory_bytes", device.memoryBytes());
        ArrayNode properties = object.putArray("properties");
        device.properties().forEach(properties::add);
        ObjectNode test = object.putObject("self_test");
        switch (verdict) {
            case Exact _ -> test.put("verdict", "exact");
            case Approximate a -> {
                test.put("verdict", "approximate");
                test.put("where", a.where());
                test.put("largest_difference", a.largestDifference());
                test.put("differing", a.differing());
                test.put("compared", a.compared());
            }
            case Broken broken -> {
                test.put("verdict", "broken");
                test.put("reason", broken.reason());
            }
        }
        return object;
    }
}
