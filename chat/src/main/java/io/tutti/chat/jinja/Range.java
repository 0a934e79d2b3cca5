package io.tutti.chat.jinja;

import java.util.AbstractList;

/** Python's range, as a list that computes its elements. */
final class Range extends AbstractList<Object> {
    /** What Jinja2's sandbox allows. */
    private static final long LONGEST = 100_000;

    private final long start;
    private final long stop;
    private final long step;
    private final int size;

    Range(long start, long stop, long step) {
        if (step == 0) {
            throw new JinjaException("range() arg 3 must not be zero");
        }
        this.start = start;
        this.stop = stop;
        this.step = step;
        // Of the distance first, which may be more than a long holds.
        double distance = ((double) stop - start) / step;
        if (distance > LONGEST) {
            throw new JinjaException("is stopped: range() gives more than " + LONGEST + " numbers");
        }
        this.size = Math.max(0, (int) Math.ceil(distance));
    }

    @Override
    public Long get(int index) {
        return start + index * step;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public String toString() {
        return "range(" + start + ", " + stop + (step == 1 ? "" : ", " + step) + ")";
    }
}
