package io.tutti.cli.option;

import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A seed.
 *
 * @param value all 64 bits; unsigned
 * @param fresh whether it was drawn, so that the user has to be told
 */
public record Seed(long value, boolean fresh) {

    private static final String RANDOM = "random";

    /** A seed that was drawn: short enough to be typed again. */
    public static Seed draw() {
        return new Seed(ThreadLocalRandom.current().nextInt() & 0xFFFF_FFFFL, true);
    }

    /**
     * The seed that {@code text} means: a number, or {@code random} for one that is drawn.
     *
     * @throws io.tutti.cli.console.UsageException if it is neither
     */
    public static Seed parse(String option, String text) {
        return text.equals(RANDOM) ? draw() : new Seed(Numbers.seed(option, text), false);
    }

    /** What there is to say about it: its number, where that was not typed. */
    public Optional<String> note() {
        return fresh ? Optional.of("seed " + this) : Optional.empty();
    }

    /** The number, as it is typed. */
    @Override
    public String toString() {
        return Long.toUnsignedString(value);
    }
}
