package io.tutti.engine.selftest;

import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.selftest.Verdict.Approximate;
import io.tutti.engine.selftest.Verdict.Broken;
import io.tutti.engine.selftest.Verdict.Exact;
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
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Remembers what {@link SelfTest} found, in a small file for each device and build, for as long as the device, its driver,
 * the JVM and Tutti stay the same. A broken device is not remembered, since what ails it may be cured from outside. Without the cache everything
 * works, only later: a file that cannot be read or written is passed over.
 */
public final class VerdictCache {
    /** More than anyone has devices and builds in use. */
    private static final int MOST_FILES = 64;

    private static final String VERDICT = "verdict";
    private static final String EXACT = "exact";
    private static final String APPROXIMATE = "approximate";
    private static final String WHERE = "where";
    private static final String LARGEST_DIFFERENCE = "largest_difference";
    private static final String DIFFERING = "differing";
    private static final String COMPARED = "compared";

    private final Optional<Path> folder;
    private final Function<Device, Verdict> selfTest;

    VerdictCache(Optional<Path> folder, Function<Device, Verdict> selfTest) {
        this.folder = folder.map(path -> path.resolve("self-test"));
        this.selfTest = selfTest;
    }

    /** In the user's cache folder: XDG_CACHE_HOME, or wherever the system keeps such. */
    public static VerdictCache ofUser() {
        return new VerdictCache(UserCache.folder(), SelfTest::run);
    }

    /** What was found before, or else is found now. */
    public Verdict verdict(Device device) {
        return recall(device).orElseGet(() -> test(device));
    }

    /** What is found now, whatever was found before. */
    public Verdict test(Device device) {
        Verdict verdict = selfTest.apply(device);
        try {
            remember(device, verdict);
        } catch (IOException | RuntimeException _) {
            // The next run tests again.
        }
        return verdict;
    }

    private Optional<Verdict> recall(Device device) {
        if (folder.isEmpty()) {
            return Optional.empty();
        }
        try {
            Map<String, String> circumstances = circumstances(device);
            Path file = file(device, circumstances);
            if (!Files.isRegularFile(file)) {
                return Optional.empty();
            }
            Properties found = new Properties();
            try (Reader reader = Files.newBufferedReader(file)) {
                found.load(reader);
            }
            return found.entrySet().containsAll(circumstances.entrySet()) ? verdict(found) : Optional.empty();
        } catch (IOException | RuntimeException _) {
            return Optional.empty();
        }
    }

    private static Optional<Verdict> verdict(Properties found) {
        return switch (found.getProperty(VERDICT, "")) {
            case EXACT -> Optional.of(new Exact());
            case APPROXIMATE ->
                Optional.of(new Approximate(
                        Objects.requireNonNull(found.getProperty(WHERE)),
                        Double.parseDouble(found.getProperty(LARGEST_DIFFERENCE)),
                        Long.parseLong(found.getProperty(DIFFERING)),
                        Long.parseLong(found.getProperty(COMPARED))));
            default -> Optional.empty();
        };
    }

    private void remember(Device device, Verdict verdict) throws IOException {
        if (folder.isEmpty()) {
            return;
        }
        Properties found = new Properties();
        Map<String, String> circumstances = circumstances(device);
        Path file = file(device, circumstances);
        found.putAll(circumstances);
        switch (verdict) {
            case Exact _ -> found.setProperty(VERDICT, EXACT);
            case Approximate approximate -> {
                found.setProperty(VERDICT, APPROXIMATE);
                found.setProperty(WHERE, approximate.where());
                found.setProperty(LARGEST_DIFFERENCE, Double.toString(approximate.largestDifference()));
                found.setProperty(DIFFERING, Long.toString(approximate.differing()));
                found.setProperty(COMPARED, Long.toString(approximate.compared()));
            }
            case Broken _ -> {
                Files.deleteIfExists(file);
                return;
            }
        }
        Files.createDirectories(folder.get());
        WholeOrNothing.file(file, temporary -> {
            try (Writer writer = Files.newBufferedWriter(temporary)) {
                found.store(writer, "What the self-test of a device found; tutti devices --fresh tests again.");
            }
        });
        deleteOldest();
    }

    /** Builds and JVMs that take turns have a file each. */
    private Path file(Device device, Map<String, String> circumstances) {
        return folder.orElseThrow()
                .resolve("%s-%08x.properties"
                        .formatted(device.name().replaceAll("[^A-Za-z0-9]", "-"), circumstances.hashCode()));
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

    /** All that may change a verdict, under the names that the file has for it. */
    private static Map<String, String> circumstances(Device device) throws IOException {
        Map<String, String> all = new TreeMap<>();
        all.put("device", device.name());
        all.put("kind", device.kind().name());
        all.put("description", device.description());
        all.put("driver", device.driver());
        if (device.kind() == DeviceKind.HOST) {
            // Its vectors' width. Other devices' are memory and limits, and what may change a bit is said with the
            // driver.
            all.put("properties", String.join(", ", device.properties()));
        }
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
