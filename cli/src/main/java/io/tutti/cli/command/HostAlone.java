package io.tutti.cli.command;

import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.backend.Devices;
import io.tutti.tornado.config.JvmOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Remembers for the launcher that {@code auto} can take only the host here. As long as the surroundings stay the same (the SDK, the
 * drivers, the devices that the system lists), the launcher then starts without TornadoVM, which saves seconds.
 */
final class HostAlone {

    /** The file to remember it in, set by the launcher where it can use that. */
    private static final String FILE = "tutti.host.alone";

    /** What the surroundings are, set by the launcher too. */
    private static final String SURROUNDINGS = "tutti.surroundings";

    private HostAlone() {}

    /** Remembers the surroundings if only the host can be taken among {@code devices}. */
    static void remember(Devices devices) {
        String file = System.getProperty(FILE);
        String surroundings = System.getProperty(SURROUNDINGS);
        if (file == null || surroundings == null || !JvmOptions.inForce() || !leavesHostOnly(devices)) {
            return;
        }
        try {
            Path path = Path.of(file);
            Path folder = Files.createDirectories(path.getParent());
            Path written = Files.createTempFile(folder, "host-alone", null);
            Files.writeString(written, surroundings);
            Files.move(written, path, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException | RuntimeException _) {
            // The next run looks for devices again.
        }
    }

    /** Whether {@code auto} has only the host to take. A backend that failed may work next time, so then the answer is no. */
    static boolean leavesHostOnly(Devices devices) {
        return devices.unavailable().isEmpty()
                && devices.list().stream()
                        .allMatch(device -> device.kind() == DeviceKind.HOST || device.kind() == DeviceKind.CPU);
    }
}
