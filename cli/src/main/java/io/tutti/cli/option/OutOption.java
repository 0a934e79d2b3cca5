package io.tutti.cli.option;

import io.tutti.cli.console.UsageException;
import java.nio.file.Path;
import java.util.Optional;

/** The value of {@code --out}. */
public final class OutOption {

    private OutOption() {}

    /**
     * The path given.
     *
     * @param what what it should be, for the message
     * @throws UsageException if it was not given
     */
    public static Path path(Optional<String> given, String what) {
        return ModelOption.path(
                "--out", given.orElseThrow(() -> new UsageException("--out is missing; needed: --out and " + what)));
    }
}
