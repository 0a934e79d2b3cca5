package io.tutti.engine.selftest;

import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.modelio.files.UserFolder;
import io.tutti.modelio.files.WholeOrNothing;
import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Remembers what was found out about devices, in a small file for each device and build, for as long as the device, its
 * driver, the JVM and Tutti stay the same. Without the folder everything works, only later: a file that cannot be read or
 * written is passed over.
 */
public final class DeviceNotes {
    /** More than anyone has devices and builds in use. */
    private static final int MOST_FILES = 64;

    private final Optional<Path> folder;
    private final String comment;

    /**
     * Notes in some folder.
     *
     * @param cache the user's cache folder
     * @param name of the folder for these notes in it
     * @param comment what a file says of itself
     */
    public DeviceNotes(Optional<Path> cache, String name, String comment) {
        folder = cache.map(path -> path.resolve(name));
        this.comment = comment;
    }

    /**
     * Notes in the user's cache folder: XDG_CACHE_HOME, or wherever the system keeps such.
     *
     * @param name of the folder for these notes in it
     * @param comment what a file says of itself
     */
    public static DeviceNotes ofUser(String name, String comment) {
        return new DeviceNotes(UserFolder.CACHE.path(), name, comment);
    }

    /** What was noted in just these circumstances. */
    public Optional<Properties> recall(Map<String, String> circumstances) {
        if (folder.isEmpty()) {
            return Optional.empty();
        }
        try {
            Path file = file(circumstances);
            if (!Files.isRegularFile(file)) {
                return Optional.empty();
            }
            Properties found = new Properties();
            try (Reader reader = Files.newBufferedReader(file)) {
                found.load(reader);
            }
            return found.entrySet().containsAll(circumstances.entrySet()) ? Optional.of(found) : Optional.empty();
        } catch (IOException | RuntimeException _) {
            return Optional.empty();
        }
    }

    /** Notes it, in place of what was noted. */
    public void note(Map<String, String> circumstances, Map<String, String> found) {
        if (folder.isEmpty()) {
            return;
        }
        try {
            Files.createDirectories(folder.get());
            Properties all = new Properties();
            all.putAll(circumstances);
            all.putAll(found);
            WholeOrNothing.file(file(circumstances), temporary -> {
                try (Writer writer = Files.newBufferedWriter(temporary)) {
                    all.store(writer, comment);
                }
            });
            deleteOldest();
        } catch (IOException | RuntimeException _) {
            // It will be found out again.
        }
    }

    /** Leaves nothing noted. */
    void forget(Map<String, String> circumstances) {
        if (folder.isPresent()) {
            try {
                Files.deleteIfExists(file(circumstances));
            } catch (IOException | RuntimeException _) {
                // A file that cannot be deleted could not be written either.
            }
        }
    }

    /** Builds and JVMs that take turns have a file each. */
    private Path file(Map<String, String> circumstances) {
        return folder.orElseThrow()
                .resolve("%s-%08x.properties"
                        .formatted(
                                circumstances.get("device").replaceAll("[^A-Za-z0-9]", "-"), circumstances.hashCode()));
    }

    private void deleteOldest() throws IOException {
        try (Stream<Path> files = Files.list(folder.orElseThrow())) {
            List<File> newestFirst = files.map(Path::toFile)
                    .sorted(Comparator.comparingLong(File::lastModified).reversed())
                    .toList();
            for (File old : newestFirst.subList(Math.min(MOST_FILES, newestFirst.size()), newestFirst.size())) {
                Files.deleteIfExists(old.toPath());
            }
        }
    }

    /** All that may change what was found out about a device, under the names that a file has for it. */
    static Map<String, String> circumstances(Device device) throws IOException {
        Map<String, String> all = circumstances(device.name(), device.kind(), device.description(), device.driver());
        if (device.kind() == DeviceKind.HOST) {
            // Its vectors' width. Other devices' are memory and limits, and what may change a bit is said with the
            // driver.
            all.put("properties", String.join(", ", device.properties()));
        }
        return all;
    }

    /**
     * The same for a device that is not ready to be asked: these are its own words.
     *
     * @throws IOException if Tutti's own files cannot be read
     */
    public static Map<String, String> circumstances(String name, DeviceKind kind, String description, String driver)
            throws IOException {
        Map<String, String> all = new TreeMap<>();
        all.put("device", name);
        all.put("kind", kind.name());
        all.put("description", description);
        all.put("driver", driver);
        all.put("system", System.getProperty("os.name") + ", " + System.getProperty("os.arch"));
        all.put("jvm", System.getProperty("java.vm.name") + " " + Runtime.version());
        all.put("jvm_settings", jvmSettings());
        all.put("tutti", BuildChecksum.ofClassPath());
        return all;
    }

    /** The system properties that the JVM was started with, for device runtimes are steered by them; not Tutti's own. */
    private static String jvmSettings() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("-D") && !argument.startsWith("-Dtutti."))
                .sorted()
                .collect(Collectors.joining(" "));
    }
}
