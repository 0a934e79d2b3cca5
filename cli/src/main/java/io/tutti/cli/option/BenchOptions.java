package io.tutti.cli.option;

import io.tutti.cli.console.UsageException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What is measured, and how it is shown. */
public final class BenchOptions {

    private static final int DEFAULT_REPEATS = 5;
    private static final int MOST_REPEATS = 1000;
    private static final int MOST_SEQUENCES = 1024;
    private static final String AUTO = "auto";

    private int batch = 1;
    private int repeats = DEFAULT_REPEATS;
    private List<Integer> contexts = List.of(0, 2000);

    @Option(
            names = "--device",
            paramLabel = "A,B",
            defaultValue = AUTO,
            description = "auto, or devices that `tutti devices` lists, side by side (default: auto).")
    private String devices;

    @Option(
            names = "--plot",
            paramLabel = "F.png",
            description = "Draw rates and shares; a file that exists is replaced.")
    private Optional<String> plot;

    @Option(names = "--json", description = "Print JSON instead: one object a device, each on a line of its own.")
    private boolean json;

    @Option(
            names = "--batch",
            paramLabel = "N",
            description = "Sequences that decode together; their tokens/s count in total (default: 1).")
    void batch(String text) {
        batch = Numbers.integer("--batch", text, 1, MOST_SEQUENCES);
    }

    @Option(
            names = "--context",
            paramLabel = "N,M",
            description = "Tokens in the cache before the new ones, each measured (default: 0,2000).")
    void contexts(String text) {
        contexts = Arrays.stream(text.split(",", -1))
                .map(part -> Numbers.integer("--context", part, 0, Integer.MAX_VALUE))
                .sorted()
                .distinct()
                .toList();
    }

    @Option(
            names = "--repeats",
            paramLabel = "N",
            description = "Rounds that are measured, after one that warms up (default: 5).")
    void repeats(String text) {
        repeats = Numbers.integer("--repeats", text, 1, MOST_REPEATS);
    }

    public int batch() {
        return batch;
    }

    public int repeats() {
        return repeats;
    }

    /** Ascending, at least one. */
    public List<Integer> contexts() {
        return contexts;
    }

    public boolean json() {
        return json;
    }

    /**
     * The devices' names, at least one; {@code auto} alone.
     *
     * @throws UsageException if one is empty or given twice
     */
    public List<String> devices() {
        return DevicesOption.names(devices).orElse(List.of(AUTO));
    }

    /**
     * The picture to write.
     *
     * @throws UsageException if its name is not that of a PNG
     */
    public Optional<Path> plot() {
        return PlotOption.path(plot);
    }
}
