package io.tutti.jinja;

import java.util.function.LongSupplier;

/** Counts what one rendering uses, and stops it at its {@link Limits}. */
final class Budget {
    private static final int CHARACTERS_PER_STEP = 4;

    private static final int CHARACTERS_SCANNED_PER_STEP = 64;

    /** High enough that a template keeps about ten bytes per step at most, whatever it creates. */
    private static final int STEPS_OF_A_VALUE = 8;

    private static final int STEPS_OF_A_PART = 4;

    /** Python has no limit, but larger numbers take minutes to compute. */
    private static final long MAX_BITS = 1 << 16;

    /** Few enough that they take little time, many enough that reading the clock costs nothing. */
    private static final long STEPS_BETWEEN_CLOCK_READS = 64;

    private final Limits limits;
    private final LongSupplier nanoTime;
    private final long start;
    private long nextLook;
    private long steps;
    private int depth;

    Budget(Limits limits, LongSupplier nanoTime) {
        this.limits = limits;
        this.nanoTime = nanoTime;
        this.start = nanoTime.getAsLong();
    }

    void step() {
        steps(1);
    }

    /** Adds {@code more} steps. A negative number adds none, and a sum beyond a long saturates. */
    void steps(long more) {
        steps = more > limits.steps() - steps ? Long.MAX_VALUE : steps + Math.max(0, more);
        if (steps > limits.steps()) {
            throw new LimitException("it takes more than " + limits.steps() + " steps");
        }
        if (steps >= nextLook) {
            nextLook = steps + STEPS_BETWEEN_CLOCK_READS;
            if (nanoTime.getAsLong() - start > limits.time().toNanos()) {
                throw new LimitException("it takes more than " + limits.time().toSeconds() + " seconds");
            }
        }
    }

    /** Call before creating a list, tuple or dict of {@code parts} values. */
    void container(long parts) {
        steps(STEPS_OF_A_VALUE + STEPS_OF_A_PART * parts);
    }

    /** Call for each value created as a part of another, such as a character of a text. */
    void part() {
        steps(STEPS_OF_A_PART);
    }

    /** Call before creating a text of {@code length}. */
    void text(long length) {
        fits(length);
        steps(1 + length / CHARACTERS_PER_STEP);
    }

    /** Call while a text grows; {@link #text(long)} charges for it when it is complete. */
    void fits(long length) {
        if (length > limits.text()) {
            throw new LimitException("it writes a text of more than " + limits.text() + " characters");
        }
    }

    /** Charges for {@code text}, just created from a few others, and returns it. */
    String text(String text) {
        text(text.length());
        return text;
    }

    /** Call before reading through a text of {@code length}. */
    void scan(long length) {
        steps(1 + length / CHARACTERS_SCANNED_PER_STEP);
    }

    /** Call before searching {@code length} characters for {@code needle} characters; charges for the worst case. */
    void search(long length, long needle) {
        steps(1 + (length / CHARACTERS_SCANNED_PER_STEP + 1) * needle);
    }

    void number(long bits) {
        if (bits > MAX_BITS) {
            throw new LimitException("it computes a number of more than " + MAX_BITS + " bits");
        }
        steps(1 + bits / 64);
    }

    void enter() {
        if (++depth > limits.depth()) {
            throw new LimitException("it nests more than " + limits.depth() + " levels deep");
        }
    }

    void leave() {
        depth--;
    }
}
