package io.tutti.chat.jinja;

/**
 * How far a template may go. The same template and variables always end in the same way, since time is counted in steps
 * and not by a clock.
 *
 * @param steps how much may be done: a step is an expression or statement carried out, an element copied or compared,
 *     or 4 characters written
 * @param text how long any text may become, the output too, in UTF-16 units
 * @param depth how deep macros, recursive loops and nested values may go
 */
public record Limits(long steps, int text, int depth) {
    /** Some seconds of work, and a hundred times what the longest conversations need. */
    public static final Limits DEFAULT = new Limits(50_000_000, 16 << 20, 100);
}
