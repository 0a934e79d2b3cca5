package io.tutti.cli.command;

import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.backend.Devices;
import io.tutti.tornado.config.JvmOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Tells the launcher that {@code auto} can take nothing but the host here, so that it need not start TornadoVM's JVM, which takes
 * seconds, as long as its surroundings stay what they are: the SDK, the drivers, the devices that the system lists.
 */
final class HostAlone {

    /** Set by the launcher where it can use that: the file, and what the surroundings are. */
    private static final String FILE = "tutti.host.alone";

    private static final String SURROUNDINGS = "tutti.surroundings";

    private HostAlone() {}

    /** Remembers it, if it is so. A backend that fails may not fail the next time. */
    static void remember(Devices devices) {
        String file = System.getProperty(FILE);
        String surroundings = System.getProperty(SURROUNDINGS);
        if (file == null || surroundings == null || !JvmOptions.inForce() || !isSo(devices)) {
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

    static boolean isSo(Devices devices) {
        return devices.unavailable().isEmpty()
                && devices.list().stream()
                        .allMatch(device -> device.kind() == DeviceKind.HOST || device.kind() == DeviceKind.CPU);
    }
}
