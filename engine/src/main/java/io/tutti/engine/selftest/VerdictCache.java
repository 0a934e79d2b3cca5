package io.tutti.engine.selftest;

import io.tutti.engine.backend.Device;
import io.tutti.engine.selftest.Verdict.Approximate;
import io.tutti.engine.selftest.Verdict.Broken;
import io.tutti.engine.selftest.Verdict.Exact;
import io.tutti.modelio.files.WholeOrNothing;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Remembers what {@link SelfTest} found, in a small file for each device, until the device, its driver, the JVM or Tutti
 * changes. A broken device is not remembered, since what ails it may be cured from outside. Without the cache everything
 * works, only later: a file that cannot be read or written is passed over.
 */
public final class VerdictCache {
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
        if (folder.isEmpty() || !Files.isRegularFile(file(device))) {
            return Optional.empty();
        }
        Properties found = new Properties();
        try (Reader reader = Files.newBufferedReader(file(device))) {
            found.load(reader);
            return found.entrySet().containsAll(circumstances(device).entrySet()) ? verdict(found) : Optional.empty();
        } catch (IOException | RuntimeException _) {
            return Optional.empty();
        }
    }

    private static Optional<Verdict> verdict(Properties found) {
        return switch (found.getProperty(VERDICT, "")) {
            case EXACT -> Optional.of(new Exact());
            case APPROXIMATE ->
                Optional.of(new Approximate(
                        found.getProperty(WHERE),
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
        found.putAll(circumstances(device));
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
                Files.deleteIfExists(file(device));
                return;
            }
        }
        Files.createDirectories(folder.get());
        WholeOrNothing.file(file(device), temporary -> {
            try (Writer writer = Files.newBufferedWriter(temporary)) {
                found.store(writer, "What the self-test of a device found; tutti devices --fresh tests again.");
            }
        });
    }

    private Path file(Device device) {
        return folder.orElseThrow().resolve(device.name().replaceAll("[^A-Za-z0-9]", "-") + ".properties");
    }

    /** All that may change a verdict, under the names that the file has for it. */
    private static Map<String, String> circumstances(Device device) throws IOException {
        Map<String, String> all = new TreeMap<>();
        all.put("device", device.name());
        all.put("kind", device.kind().name());
        all.put("description", device.description());
        all.put("driver", device.driver());
        all.put("properties", String.join(", ", device.properties()));
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
