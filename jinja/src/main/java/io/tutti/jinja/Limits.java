package io.tutti.jinja;

import java.time.Duration;

/**
 * How much one rendering may use before it is stopped with a {@link LimitException}.
 *
 * @param steps the most work, the same on every machine; one step evaluates an expression, executes a statement, copies
 *     or compares an element, or writes 4 characters
 * @param time the longest time, in case steps are slow
 * @param text the longest text, intermediate or final, in UTF-16 units
 * @param depth how deep loops, macros and values may nest
 */
public record Limits(long steps, Duration time, int text, int depth) {
    /** A few seconds of work, and far more than the longest conversations need. */
    public static final Limits DEFAULT = new Limits(50_000_000, Duration.ofSeconds(20), 16 << 20, 100);
}
