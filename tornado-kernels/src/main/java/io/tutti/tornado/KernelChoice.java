package io.tutti.tornado;

import io.tutti.engine.selftest.DeviceNotes;
import io.tutti.tornado.program.Mapping;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Which of the kernels that suit a device are the quickest on it: found by running them once, and remembered.
 *
 * @param mapping the quickest
 * @param times milliseconds that each that was tried took; infinite if the device could not run it
 */
record KernelChoice(Mapping mapping, Map<Mapping, Double> times) {

    /** Runs those that suit, unless it is known. */
    static KernelChoice among(
            List<Mapping> mappings,
            Map<String, String> circumstances,
            DeviceNotes notes,
            ToDoubleFunction<Mapping> trial) {
        if (mappings.size() == 1) {
            return new KernelChoice(mappings.getFirst(), Map.of());
        }
        return notes.recall(circumstances)
                .flatMap(found -> recalled(mappings, found))
                .orElseGet(() -> {
                    Map<Mapping, Double> times = new EnumMap<>(Mapping.class);
                    mappings.forEach(mapping -> times.put(mapping, time(mapping, trial)));
                    Map<String, String> found = new LinkedHashMap<>();
                    times.forEach((mapping, time) -> found.put(mapping.name(), time.toString()));
                    notes.note(circumstances, found);
                    return quickest(times);
                });
    }

    private static double time(Mapping mapping, ToDoubleFunction<Mapping> trial) {
        try {
            return trial.applyAsDouble(mapping);
        } catch (RuntimeException | LinkageError _) {
            // If it is the device that is broken, the self-test says so.
            return Double.POSITIVE_INFINITY;
        }
    }

    private static Optional<KernelChoice> recalled(List<Mapping> mappings, Properties found) {
        Map<Mapping, Double> times = new EnumMap<>(Mapping.class);
        for (Mapping mapping : mappings) {
            String time = found.getProperty(mapping.name());
            if (time == null) {
                return Optional.empty();
            }
            times.put(mapping, Double.valueOf(time));
        }
        return Optional.of(quickest(times));
    }

    private static KernelChoice quickest(Map<Mapping, Double> times) {
        Mapping quickest = times.entrySet().stream()
                .min(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
        return new KernelChoice(quickest, times);
    }

    /** For people: which, and what it was chosen by. */
    String text() {
        String measured = times.entrySet().stream()
                .map(entry ->
                        String.format(Locale.ROOT, "%s %.1f ms", entry.getKey().text(), entry.getValue()))
                .collect(Collectors.joining(", "));
        return "kernels in " + mapping.text() + (measured.isEmpty() ? "" : " (trial: " + measured + ")");
    }
}
