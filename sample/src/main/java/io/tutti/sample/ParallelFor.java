package io.tutti.sample;

/** A loop whose iterations are independent, run by whatever threads the caller has; it never changes a result. */
@FunctionalInterface
public interface ParallelFor {
    /** The calling thread alone. */
    ParallelFor SERIAL = (length, body) -> body.run(0, length);

    /**
     * Runs {@code body} on ranges that together cover [0, length), each index once, and returns when all are done and their writes
     * are visible to the caller.
     */
    void run(int length, Range body);

    /** The iterations from {@code from}, inclusive, to {@code to}, exclusive. */
    @FunctionalInterface
    interface Range {
        void run(int from, int to);
    }
}
