package io.tutti.cli.keep;

import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.UsageException;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How long a model is kept without being used, as {@code --idle} has it: {@code 90s}, {@code 10m}, {@code 2h}. */
public final class Idle {

    private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,5})([smh])");

    private Idle() {}

    /**
     * The time that {@code text} says.
     *
     * @throws UsageException if it has another form
     */
    public static Duration parse(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            throw UsageException.of(
                    "--idle", OneLine.quote(text), "seconds, minutes or hours as in 90s, 10m or 2h, at least 1s");
        }
        long count = Long.parseLong(parts.group(1));
        return switch (parts.group(2)) {
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            default -> Duration.ofHours(count);
        };
    }

    /** The shortest text that {@link #parse} reads as {@code idle}. */
    static String text(Duration idle) {
        if (idle.equals(Duration.ofHours(idle.toHours()))) {
            return idle.toHours() + "h";
        }
        return idle.equals(Duration.ofMinutes(idle.toMinutes())) ? idle.toMinutes() + "m" : idle.toSeconds() + "s";
    }
}
