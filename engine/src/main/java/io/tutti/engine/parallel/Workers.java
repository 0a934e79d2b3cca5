package io.tutti.engine.parallel;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;

/**
 * A fixed team of threads that runs the same short task over many indices: the caller is worker 0, the others join it.
 *
 * <p>A token takes hundreds of such runs, a few microseconds each, so idle workers spin before they park: an executor's
 * hand-over would take longer than the work. The caller waits for no worker that has not taken an index, so that one whose
 * core is busy elsewhere delays nothing. Each worker has neighbouring indices of its own, for neighbouring tasks read
 * neighbouring memory, and takes others' when it has done them; tasks must not care which worker runs them.
 */
public final class Workers implements AutoCloseable {

    /** Work on one index of a run. */
    @FunctionalInterface
    public interface Task {
        /**
         * Does the work of one index.
         *
         * @param index 0 to the run's count
         * @param worker 0 to {@link Workers#count}: whose scratch memory to use
         */
        void run(int index, int worker);
    }

    /** Work on a range of indices of a run. */
    @FunctionalInterface
    public interface RangeTask {
        /** Does the work of indices {@code from} to {@code to}; {@code worker} as in {@link Task}. */
        void run(int from, int to, int worker);
    }

    /** Spins, of some tens of nanoseconds each, before a waiting thread lets go of its core: longer than an op's gaps. */
    private static final int SPINS = 2_000;

    /** Ranges a worker, so that all end at about the same time. */
    private static final int RANGES = 4;

    private final Helper[] helpers;
    private final boolean crowded;
    private volatile Run current = new Run(0, 1, 1, (_, _, _) -> {});
    private volatile boolean closed;

    /** A team of {@code threads}, the caller's included; at least 1. */
    public Workers(int threads) {
        crowded = threads > Runtime.getRuntime().availableProcessors();
        helpers = new Helper[threads - 1];
        for (int i = 0; i < helpers.length; i++) {
            helpers[i] = new Helper(i + 1);
            helpers[i].start();
        }
    }

    /** Threads at work, the caller's included. */
    public int count() {
        return helpers.length + 1;
    }

    /** Runs {@code task} for every index below {@code count} and returns when all are done. Not reentrant. */
    public void forEach(int count, Task task) {
        run(count, 1, (from, _, worker) -> task.run(from, worker));
    }

    /** {@link #forEach} by ranges of at most {@code most} neighbours, as long as every worker gets a few. */
    public void forEachRange(int count, int most, RangeTask task) {
        run(count, Math.clamp(Math.ceilDiv(count, RANGES * count()), 1, most), task);
    }

    private void run(int count, int size, RangeTask task) {
        if (helpers.length == 0 || count <= size) {
            for (int i = 0; i < count; i += size) {
                task.run(i, Math.min(count, i + size), 0);
            }
            return;
        }
        Run run = new Run(count, size, count(), task);
        publish(run);
        run.drain(0);
        for (int spins = 0; run.done.get() < count; spins++) {
            relax(spins);
        }
        run.rethrow();
    }

    private void publish(Run run) {
        current = run;
        for (Helper helper : helpers) {
            helper.wake();
        }
    }

    /** Waits a moment; where there are more workers than cores, whoever works needs the core that a spinner would hold. */
    @SuppressWarnings("ThreadPriorityCheck")
    private void relax(int spins) {
        if (crowded || spins > SPINS) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
    }

    /** Ends the threads. */
    @Override
    public void close() {
        closed = true;
        publish(new Run(0, 1, 1, (_, _, _) -> {}));
    }

    /** One task over its indices. Its own counters make it harmless to a worker that comes late. */
    private static final class Run {
        /** Ints between the counters of two workers, lest they share a cache line. */
        private static final int APART = 32;

        private final int count;
        private final int size;
        private final int workers;
        private final RangeTask task;
        private final AtomicIntegerArray taken;
        private final AtomicInteger done = new AtomicInteger();
        private volatile Throwable failure;

        Run(int count, int size, int workers, RangeTask task) {
            this.count = count;
            this.size = size;
            this.workers = workers;
            this.task = task;
            taken = new AtomicIntegerArray((workers + 1) * APART);
        }

        /** Takes the worker's own indices, then those that others have left; until there are none. */
        void drain(int worker) {
            int finished = 0;
            for (int i = 0; i < workers; i++) {
                finished += drain((worker + i) % workers, worker);
            }
            if (finished > 0) {
                done.addAndGet(finished);
            }
        }

        /** Takes indices that belong to {@code owner}. After a failure the rest are taken and left undone. */
        private int drain(int owner, int worker) {
            int first = first(owner);
            int own = first(owner + 1) - first;
            int finished = 0;
            for (int i = take(owner, own); i < own; i = take(owner, own)) {
                int end = Math.min(own, i + size);
                finished += end - i;
                try {
                    if (failure == null) {
                        task.run(first + i, first + end, worker);
                    }
                } catch (RuntimeException | Error e) {
                    failure = e;
                }
            }
            return finished;
        }

        private int first(int owner) {
            return (int) ((long) count * owner / workers);
        }

        /** The first index below {@code own} that nobody has taken, and with it the range's others; or {@code own} or more. */
        private int take(int owner, int own) {
            int at = (owner + 1) * APART;
            return taken.get(at) < own ? taken.getAndAdd(at, size) : own;
        }

        void rethrow() {
            switch (failure) {
                case null -> {}
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                default -> throw new AssertionError("tasks throw no checked exceptions", failure);
            }
        }
    }

    private final class Helper extends Thread {
        private final int worker;
        private volatile boolean parked;

        Helper(int worker) {
            super("tutti-worker-" + worker);
            this.worker = worker;
            setDaemon(true);
        }

        void wake() {
            if (parked) {
                LockSupport.unpark(this);
            }
        }

        @Override
        public void run() {
            Run seen = null;
            while (!closed) {
                seen = awaitAfter(seen);
                seen.drain(worker);
            }
        }

        private Run awaitAfter(Run seen) {
            for (int spins = 0; spins < SPINS; spins++) {
                Run now = current;
                if (now != seen) {
                    return now;
                }
                relax(spins);
            }
            parked = true;
            while (current == seen) {
                LockSupport.park(this);
            }
            parked = false;
            return current;
        }
    }
}
