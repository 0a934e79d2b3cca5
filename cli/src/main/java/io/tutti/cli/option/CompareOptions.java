package io.tutti.cli.option;

import io.tutti.cli.console.UsageException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** How much is compared, and how it is shown. */
public final class CompareOptions {

    private static final int DEFAULT_MAX_TOKENS = 128;

    private int maxTokens = DEFAULT_MAX_TOKENS;

    @Option(
            names = "--layers",
            description = "Run layer by layer too: how a difference grows, and the op that differs first.")
    private boolean layers;

    @Option(
            names = "--plot",
            paramLabel = "F.png",
            description = "Draw times and differences; a file that exists is replaced.")
    private Optional<String> plot;

    @Option(names = "--json", description = "Print one JSON object instead.")
    private boolean json;

    @Option(
            names = {"-n", "--max-tokens"},
            paramLabel = "N",
            description = "New tokens at most; -1: until the context is full (default: 128).")
    void maxTokens(String text) {
        maxTokens = Numbers.maxTokens("--max-tokens", text);
    }

    public int maxTokens() {
        return maxTokens;
    }

    public boolean layers() {
        return layers;
    }

    public boolean json() {
        return json;
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
