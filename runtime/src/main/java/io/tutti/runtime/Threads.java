package io.tutti.runtime;

import io.tutti.sample.ParallelFor;
import java.util.stream.IntStream;

/** Loops of the sampler over the host's threads. */
public final class Threads {

    private Threads() {}

    /** A loop over {@code threads} threads. */
    public static ParallelFor loop(int threads) {
        if (threads == 1) {
            return ParallelFor.SERIAL;
        }
        return (length, body) -> IntStream.range(0, threads).parallel().forEach(t -> {
            int from = (int) ((long) length * t / threads);
            int to = (int) ((long) length * (t + 1) / threads);
            if (from < to) {
                body.run(from, to);
            }
        });
    }
}
