package io.tutti.cli.option;

import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.UsageException;
import java.util.Locale;

/** What a chat does with a message for which there is no room. */
public enum WhenFull {
    /** Refuses it. */
    STOP,
    /** Forgets the oldest turns. */
    ROLL;

    static final String OPTION = "--when-full";

    /**
     * What {@code text} says.
     *
     * @throws UsageException if it is none of these words
     */
    public static WhenFull parse(String option, String text) {
        return switch (text) {
            case "stop" -> STOP;
            case "roll" -> ROLL;
            default -> throw UsageException.of(option, OneLine.quote(text), "stop or roll");
        };
    }

    /** As it is typed. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
