package io.tutti.hub;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes of all are here, how many came just now, and what is waited for; told by many threads, asked by one.
 */
final class Transfer {
    private final AtomicLong done = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private final Queue<String> waits = new ConcurrentLinkedQueue<>();
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

    /** Notes why nothing comes for a while. */
    void waits(String why) {
        waits.add(why);
    }

    /** Notes what the user should know of the way it comes. */
    void notes(String what) {
        waits.add(what);
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

    /** What was noted since this was last asked. */
    List<String> takeWaits() {
        List<String> taken = new ArrayList<>();
        for (String why = waits.poll(); why != null; why = waits.poll()) {
            taken.add(why);
        }
        return taken;
    }
}
