package io.tutti.cli.console;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The user's wish to stop (Ctrl-C, SIGTERM, a closed terminal). Commands ask between their steps, and end in order: what
 * they printed stays, what they half wrote goes.
 */
public final class Interrupts {

    /** How long a command may take to end in order: a step of a large model takes a while, and a device's compiler longer. */
    private static final int PATIENCE_SECONDS = 3;

    private enum State {
        RUNNING,
        INTERRUPTED,
        FINISHED
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);
    private final CountDownLatch finished = new CountDownLatch(1);
    /** What a request to stop does while the command waits for input; null while it works. */
    private volatile Runnable leave;

    /** Interrupts that only {@link #request} makes. */
    public Interrupts() {}

    /**
     * This process's. The JVM answers all of those signals by running its shutdown hooks, so one hook serves every system;
     * it waits for the command, and ends the process with {@link ExitCode#INTERRUPTED}.
     */
    public static Interrupts ofProcess() {
        Interrupts interrupts = new Interrupts();
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(interrupts::onShutdown, "interrupts"));
        } catch (IllegalStateException _) {
            // The process is ending before anything has begun.
            Runtime.getRuntime().halt(ExitCode.INTERRUPTED);
        }
        return interrupts;
    }

    private void onShutdown() {
        if (!request()) {
            return; // The command is done, and this is the process's own exit.
        }
        try {
            Runnable waiting = leave;
            if (waiting != null) {
                waiting.run();
            } else {
                finished.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
        } catch (InterruptedException _) {
            // Then without patience.
        }
        Runtime.getRuntime().halt(ExitCode.INTERRUPTED);
    }

    /** Asks the command to stop; false if it is done already. */
    public boolean request() {
        return state.compareAndSet(State.RUNNING, State.INTERRUPTED) || asked();
    }

    /** Whether the command should stop. */
    public boolean asked() {
        return state.get() == State.INTERRUPTED;
    }

    /**
     * Goes on unless the command should stop.
     *
     * @throws InterruptedRunException if it should
     */
    public void check() {
        if (asked()) {
            throw new InterruptedRunException();
        }
    }

    /**
     * Says that the command waits for input, which nothing ends in order: a request to stop meanwhile ends the process.
     *
     * @param leave what has to be done first
     */
    public void waitsForInput(Runnable leave) {
        this.leave = leave;
    }

    /** Says that the command no longer waits for input. */
    public void works() {
        leave = null;
    }

    /** Says that the command is done and its output flushed: from here on the process may exit. */
    public void finish() {
        state.compareAndSet(State.RUNNING, State.FINISHED);
        finished.countDown();
    }
}
