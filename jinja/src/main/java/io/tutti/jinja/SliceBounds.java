package io.tutti.jinja;

/** The start, exclusive end and step of a slice, clamped to its sequence. */
record SliceBounds(long start, long stop, long step) {
    private static final long FAR = 1L << 40;

    /** Python's {@code slice(start, stop, step).indices(length)}; null is None. */
    static SliceBounds of(long length, Object start, Object stop, Object step) {
        long by = step == null ? 1 : clamp(index(step));
        if (by == 0) {
            throw new JinjaException("slice step cannot be zero");
        }
        long min = by > 0 ? 0 : -1;
        long max = by > 0 ? length : length - 1;
        return new SliceBounds(
                start == null ? (by > 0 ? min : max) : within(index(start), length, min, max),
                stop == null ? (by > 0 ? max : min) : within(index(stop), length, min, max),
                by);
    }

    private static long index(Object value) {
        if (!Types.isInteger(value)) {
            throw new JinjaException("slice indices must be integers or None or have an __index__ method");
        }
        return Types.integer(value);
    }

    private static long within(long index, long length, long min, long max) {
        long at = clamp(index);
        return Math.clamp(at < 0 ? at + length : at, min, max);
    }

    private static long clamp(long index) {
        return Math.clamp(index, -FAR, FAR);
    }
}
