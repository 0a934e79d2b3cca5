package io.tutti.engine.selftest;

import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.Verdict;
import io.tutti.engine.backend.Verdict.Approximate;
import io.tutti.engine.backend.Verdict.Broken;
import io.tutti.engine.backend.Verdict.Exact;
import io.tutti.modelio.files.UserFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Function;

/**
 * Remembers what {@link SelfTest} found, as {@link DeviceNotes}. A broken device is not remembered, since what ails it may be
 * cured from outside.
 */
public final class VerdictCache {
    private static final String VERDICT = "verdict";
    private static final String EXACT = "exact";
    private static final String APPROXIMATE = "approximate";
    private static final String WHERE = "where";
    private static final String LARGEST_DIFFERENCE = "largest_difference";
    private static final String DIFFERING = "differing";
    private static final String COMPARED = "compared";

    private final DeviceNotes notes;
    private final Function<Device, Verdict> selfTest;

    VerdictCache(Optional<Path> folder, Function<Device, Verdict> selfTest) {
        notes = new DeviceNotes(
                folder, "self-test", "What the self-test of a device found; tutti devices --fresh tests again.");
        this.selfTest = selfTest;
    }

    /** In the user's cache folder: XDG_CACHE_HOME, or wherever the system keeps such. */
    public static VerdictCache ofUser() {
        return new VerdictCache(UserFolder.CACHE.path(), SelfTest::run);
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
        try {
            return notes.recall(DeviceNotes.circumstances(device)).flatMap(VerdictCache::verdict);
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
        Map<String, String> circumstances = DeviceNotes.circumstances(device);
        Map<String, String> found = new LinkedHashMap<>();
        switch (verdict) {
            case Exact _ -> found.put(VERDICT, EXACT);
            case Approximate approximate -> {
                found.put(VERDICT, APPROXIMATE);
                found.put(WHERE, approximate.where());
                found.put(LARGEST_DIFFERENCE, Double.toString(approximate.largestDifference()));
                found.put(DIFFERING, Long.toString(approximate.differing()));
                found.put(COMPARED, Long.toString(approximate.compared()));
            }
            case Broken _ -> {
                notes.forget(circumstances);
                return;
            }
        }
        notes.note(circumstances, found);
    }
}
