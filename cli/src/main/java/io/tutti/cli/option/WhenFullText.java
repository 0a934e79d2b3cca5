package io.tutti.cli.option;

import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.UsageException;
import io.tutti.runtime.WhenFull;
import java.util.Locale;

/** {@link WhenFull} as it is typed. */
public final class WhenFullText {

    static final String OPTION = "--when-full";

    private WhenFullText() {}

    /**
     * What {@code text} says.
     *
     * @throws UsageException if it is none of these words
     */
    public static WhenFull parse(String option, String text) {
        return switch (text) {
            case "stop" -> WhenFull.STOP;
            case "roll" -> WhenFull.ROLL;
            default -> throw UsageException.of(option, OneLine.quote(text), "stop or roll");
        };
    }

    /** The word for {@code value}. */
    public static String word(WhenFull value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
