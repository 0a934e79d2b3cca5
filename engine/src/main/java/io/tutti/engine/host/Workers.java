package io.tutti.engine.host;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A fixed team of threads that runs the same short task over many indices: the caller is worker 0, the others wait for it.
 *
 * <p>A token takes hundreds of such runs, a few microseconds each, so waiting workers spin before they park: an executor's
 * hand-over would take longer than the work. Which worker takes which index is left to chance; tasks must not care.
 */
final class Workers implements AutoCloseable {

    /** Work on one index of a run. */
    @FunctionalInterface
    interface Task {
        /**
         * Does the work of one index.
         *
         * @param index 0 to the run's count
         * @param worker 0 to {@link Workers#count}: whose scratch memory to use
         */
        void run(int index, int worker);
    }

    /** Spins of some tens of nanoseconds each before a waiting thread lets go of its core. */
    private static final int SPINS = 20_000;

    private final Helper[] helpers;
    private final boolean crowded;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger busy = new AtomicInteger();
    private final AtomicInteger generation = new AtomicInteger();
    private volatile Throwable failure;
    private volatile boolean closed;
    // Published by the change of generation.
    private Task task;
    private int count;

    /** A team of {@code threads}, the caller's included; at least 1. */
    Workers(int threads) {
        crowded = threads > Runtime.getRuntime().availableProcessors();
        helpers = new Helper[threads - 1];
        for (int i = 0; i < helpers.length; i++) {
            helpers[i] = new Helper(i + 1);
            helpers[i].start();
        }
    }

    /** Threads at work, the caller's included. */
    int count() {
        return helpers.length + 1;
    }

    /** Runs {@code task} for every index below {@code count} and returns when all are done. Not reentrant. */
    void forEach(int count, Task task) {
        if (helpers.length == 0 || count <= 1) {
            for (int i = 0; i < count; i++) {
                task.run(i, 0);
            }
            return;
        }
        this.task = task;
        this.count = count;
        next.setPlain(0);
        busy.setPlain(helpers.length);
        generation.incrementAndGet();
        for (Helper helper : helpers) {
            helper.wake();
        }
        drain(0);
        for (int spins = 0; busy.get() > 0; spins++) {
            relax(spins);
        }
        this.task = null;
        Throwable thrown = failure;
        if (thrown != null) {
            failure = null;
            if (thrown instanceof RuntimeException e) {
                throw e;
            }
            throw (Error) thrown;
        }
    }

    private void drain(int worker) {
        try {
            for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
                task.run(i, worker);
            }
        } catch (RuntimeException | Error e) {
            failure = e;
            next.set(count);
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
        generation.incrementAndGet();
        for (Helper helper : helpers) {
            helper.wake();
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
            int seen = 0;
            while (true) {
                seen = awaitAfter(seen);
                if (closed) {
                    return;
                }
                drain(worker);
                busy.decrementAndGet();
            }
        }

        private int awaitAfter(int seen) {
            for (int spins = 0; spins < SPINS; spins++) {
                int now = generation.get();
                if (now != seen) {
                    return now;
                }
                relax(spins);
            }
            parked = true;
            while (generation.get() == seen) {
                LockSupport.park(this);
            }
            parked = false;
            return generation.get();
        }
    }
}
