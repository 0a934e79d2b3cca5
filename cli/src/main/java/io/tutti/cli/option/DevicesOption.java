package io.tutti.cli.option;

import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.UsageException;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which devices a comparison runs on. */
public final class DevicesOption {

    private static final String AUTO = "auto";
    private static final String ACCEPTED = "auto, or devices with commas between, each once, such as host,opencl:0";

    @Option(
            names = "--device",
            paramLabel = "A,B",
            defaultValue = AUTO,
            description =
                    "Devices that `tutti devices` lists; the first is what the others are compared with. reference is the"
                            + " arithmetic's definition in plain Java, slow (default: auto, host and all others).")
    private String devices;

    /**
     * The names given, in their order; empty for all devices.
     *
     * @throws UsageException if one is empty or given twice
     */
    public Optional<List<String>> names() {
        return names(devices);
    }

    static Optional<List<String>> names(String devices) {
        if (devices.equals(AUTO)) {
            return Optional.empty();
        }
        List<String> names = List.of(devices.split(",", -1));
        if (names.contains("")
                || names.contains(AUTO)
                || names.stream().distinct().count() < names.size()) {
            throw UsageException.of("--device", OneLine.quote(devices), ACCEPTED);
        }
        return Optional.of(names);
    }
}
