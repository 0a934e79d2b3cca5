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
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Which of the kernels that suit a device are the quickest on it: found by running them once, and remembered.
 *
 * @param mapping the quickest
 * @param times milliseconds that each that was tried took at best; infinite if the device could not run it
 */
record KernelChoice(Mapping mapping, Map<Mapping, Double> times) {

    /** Rounds in which each has its turn: what else the machine does should not decide. */
    private static final int ROUNDS = 10;

    /** What can be timed. */
    interface Trial extends AutoCloseable {
        /** Milliseconds of one more run. */
        double time();

        @Override
        void close();
    }

    /**
     * Tries those that suit, unless it is known.
     *
     * @param open makes the kernels of a mapping ready, or throws
     */
    static KernelChoice among(
            List<Mapping> mappings,
            Map<String, String> circumstances,
            DeviceNotes notes,
            Function<Mapping, Trial> open) {
        if (mappings.size() == 1) {
            return new KernelChoice(mappings.getFirst(), Map.of());
        }
        return notes.recall(circumstances)
                .flatMap(found -> recalled(mappings, found))
                .orElseGet(() -> {
                    Map<Mapping, Double> times = times(mappings, open);
                    Map<String, String> found = new LinkedHashMap<>();
                    times.forEach((mapping, time) -> found.put(mapping.name(), time.toString()));
                    notes.note(circumstances, found);
                    return quickest(times);
                });
    }

    private static Map<Mapping, Double> times(List<Mapping> mappings, Function<Mapping, Trial> open) {
        Map<Mapping, Double> times = new EnumMap<>(Mapping.class);
        Map<Mapping, Trial> trials = new EnumMap<>(Mapping.class);
        for (Mapping mapping : mappings) {
            times.put(mapping, Double.POSITIVE_INFINITY);
            try {
                trials.put(mapping, open.apply(mapping));
            } catch (RuntimeException | LinkageError _) {
                // Its time stays infinite. If it is the device that is broken, the self-test says so.
            }
        }
        for (int round = 0; round < ROUNDS; round++) {
            trials.forEach((mapping, trial) -> times.merge(mapping, trial.time(), Math::min));
        }
        trials.values().forEach(Trial::close);
        return times;
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
