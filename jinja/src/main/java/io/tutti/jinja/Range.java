package io.tutti.jinja;

import java.util.AbstractList;

/** Python's range: a list that computes its elements. */
final class Range extends AbstractList<Object> {
    /** The limit of Jinja2's sandbox. */
    private static final long MAX_LENGTH = 100_000;

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
        // In double: the distance may overflow a long.
        double distance = ((double) stop - start) / step;
        if (distance > MAX_LENGTH) {
            throw new LimitException("range() gives more than " + MAX_LENGTH + " numbers");
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
