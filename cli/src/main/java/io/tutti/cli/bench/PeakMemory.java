package io.tutti.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The most memory that this process has had resident, pages of mapped files included. */
public final class PeakMemory {

    /** Where Linux tells it. */
    private static final Path STATUS = Path.of("/proc/self/status");

    private static final Pattern HIGH_WATER = Pattern.compile("VmHWM:\\s*(\\d+) kB");
    private static final long KIB = 1024;

    private PeakMemory() {}

    /** Bytes; empty on a system that tells a process only what it has now. */
    public static OptionalLong bytes() {
        if (!Files.isReadable(STATUS)) {
            return OptionalLong.empty();
        }
        try {
            for (String line : Files.readAllLines(STATUS)) {
                Matcher matcher = HIGH_WATER.matcher(line);
                if (matcher.matches()) {
                    return OptionalLong.of(Long.parseLong(matcher.group(1)) * KIB);
                }
            }
        } catch (IOException _) {
            // Then it is not known.
        }
        return OptionalLong.empty();
    }
}
