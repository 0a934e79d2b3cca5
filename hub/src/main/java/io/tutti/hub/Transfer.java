package io.tutti.hub;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How far a download has come: the bytes that are here, the bytes that came over the network, and lines for the user. Many
 * threads write it, one reads it.
 */
final class Transfer {
    private final AtomicLong done = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
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

    /** Keeps a line for the user, such as why nothing comes for a while. */
    void say(String line) {
        lines.add(line);
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

    /** The lines that were said since the last call. */
    List<String> takeLines() {
        List<String> taken = new ArrayList<>();
        for (String line = lines.poll(); line != null; line = lines.poll()) {
            taken.add(line);
        }
        return taken;
    }
}
