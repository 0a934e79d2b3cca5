package io.tutti.cli.option;

import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.UsageException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** The value of {@code --plot}. */
final class PlotOption {

    private static final String PNG = ".png";

    private PlotOption() {}

    /**
     * The path given.
     *
     * @throws UsageException if its name is not that of a PNG
     */
    static Optional<Path> path(Optional<String> given) {
        given.filter(name -> !name.toLowerCase(Locale.ROOT).endsWith(PNG)).ifPresent(name -> {
            throw UsageException.of("--plot", OneLine.quote(name), "a name that ends in " + PNG);
        });
        return given.map(name -> ModelOption.path("--plot", name));
    }
}
