package io.tutti.hub;

import java.util.concurrent.atomic.AtomicLong;

/** How many bytes of all are here, and how many came just now; told by many threads, asked by one. */
final class Transfer {
    private final AtomicLong done = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private volatile long total;

    void setTotal(long bytes) {
        total = bytes;
    }

    /** Counts what was here before; negative if it is thrown away. */
    void found(long bytes) {
        done.addAndGet(bytes);
    }

    void received(long bytes) {
        done.addAndGet(bytes);
        received.addAndGet(bytes);
    }

    long done() {
        return done.get();
    }

    long received() {
        return received.get();
    }

    long total() {
        return total;
    }
}
