package io.tutti.jinja;

import java.util.function.LongSupplier;

/** What is left of one rendering's {@link Limits}. */
final class Budget {
    private static final int CHARACTERS_PER_STEP = 4;

    private static final int CHARACTERS_SCANNED_PER_STEP = 64;

    /** So that a step stands for at most some ten bytes that a template may keep, whatever it makes. */
    private static final int STEPS_OF_A_VALUE = 8;

    private static final int STEPS_OF_A_PART = 4;

    /** Python would go on; what follows takes minutes. */
    private static final long MAX_BITS = 1 << 16;

    /** So seldom that the clock costs nothing, so often that no steps between are long. */
    private static final long STEPS_BETWEEN_LOOKS_AT_THE_CLOCK = 64;

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

    /** Those of what is less than nothing are none, and no number of them comes around to a small one. */
    void steps(long more) {
        steps = more > limits.steps() - steps ? Long.MAX_VALUE : steps + Math.max(0, more);
        if (steps > limits.steps()) {
            throw new LimitException("it takes more than " + limits.steps() + " steps");
        }
        if (steps >= nextLook) {
            nextLook = steps + STEPS_BETWEEN_LOOKS_AT_THE_CLOCK;
            if (nanoTime.getAsLong() - start > limits.time().toNanos()) {
                throw new LimitException("it takes more than " + limits.time().toSeconds() + " seconds");
            }
        }
    }

    /** To be called before a list, tuple or dict of {@code parts} values is made. */
    void container(long parts) {
        steps(STEPS_OF_A_VALUE + STEPS_OF_A_PART * parts);
    }

    /** To be called for each value that is made as a part of another, such as a character of a text. */
    void part() {
        steps(STEPS_OF_A_PART);
    }

    /** To be called before a text of {@code length} is made. */
    void text(long length) {
        fits(length);
        steps(1 + length / CHARACTERS_PER_STEP);
    }

    /** To be called while a text grows that is charged for when it is whole. */
    void fits(long length) {
        if (length > limits.text()) {
            throw new LimitException("it writes a text of more than " + limits.text() + " characters");
        }
    }

    /** {@code text}, which has just been made of no more than a few others. */
    String text(String text) {
        text(text.length());
        return text;
    }

    /** To be called before a text of {@code length} is looked through. */
    void scan(long length) {
        steps(1 + length / CHARACTERS_SCANNED_PER_STEP);
    }

    /** To be called before a search for {@code needle} characters among {@code length}, at worst. */
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
