package io.tutti.chat.jinja;

import java.time.Duration;

/**
 * How far a template may go.
 *
 * @param steps how much may be done, whatever the machine's speed: a step is an expression or statement carried out, an
 *     element copied or compared, or 4 characters written
 * @param time how long it may take, should steps be slow
 * @param text how long any text may become, the output too, in UTF-16 units
 * @param depth how deep loops, macros and nested values may go
 */
public record Limits(long steps, Duration time, int text, int depth) {
    /** Some seconds of work, and far more than the longest conversations need. */
    public static final Limits DEFAULT = new Limits(50_000_000, Duration.ofSeconds(20), 16 << 20, 100);
}
