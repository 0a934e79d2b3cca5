package io.tutti.engine.limits;

import com.sun.management.OperatingSystemMXBean;
import io.tutti.engine.host.VectorApi;
import io.tutti.engine.host.kernel.Exhaust;
import io.tutti.engine.parallel.Workers;
import io.tutti.engine.runner.EngineException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.LongAdder;

/**
 * How fast all threads together read memory, and how fast they multiply and add. Both swing with a shared machine's
 * neighbours, so whoever holds a figure against them measures them beside it.
 */
public final class ProcessorLimits implements AutoCloseable {

    /** Far more than the caches of most processors hold: those of servers have hundreds of MiB. */
    private static final long READ_BYTES = 1L << 30;

    /** What a worker reads at a time. */
    private static final long PIECE = 4L << 20;

    /** Steps of multiply-adds that a worker does at a time: a millisecond or so. */
    private static final int STEPS = 1 << 18;

    private static final int TURNS = 16;
    private static final double NANOS = 1e9;

    private final Workers workers;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final long sampleNanos;
    /** Whatever is computed goes here, so that computing it cannot be left out. */
    private final LongAdder consumed = new LongAdder();

    /**
     * Takes memory to read, 1 GiB or an eighth of what the machine has.
     *
     * @param threads that read or compute at once
     * @param sampleSeconds how long a measurement takes
     * @throws EngineException if the JVM has no Vector API
     */
    public ProcessorLimits(int threads, double sampleSeconds) {
        if (!VectorApi.PRESENT) {
            throw new EngineException(
                    "the processor's limits are measured with vectors, and the JVM has none; accepted: "
                            + VectorApi.FLAG);
        }
        sampleNanos = (long) (sampleSeconds * NANOS);
        OperatingSystemMXBean machine = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long pieces = Math.max(threads, Math.min(READ_BYTES, machine.getTotalMemorySize() / 8) / PIECE);
        memory = arena.allocate(pieces * PIECE, 64);
        workers = new Workers(threads);
        // Pages that were never written would all be the one page of zeros.
        workers.forEach(
                (int) pieces, (i, worker) -> memory.asSlice(i * PIECE, PIECE).fill((byte) 1));
    }

    /** Bytes a second that all threads together read from memory. */
    public double readBytesPerSecond() {
        int pieces = (int) (memory.byteSize() / PIECE);
        return perSecond(() -> {
            workers.forEach(pieces, (i, worker) -> consumed.add(Exhaust.read(memory, i * PIECE, PIECE)));
            return memory.byteSize();
        });
    }

    /** f32 operations a second, a multiply-add counting as two, that all threads together do. */
    public double flopsPerSecond() {
        int turns = TURNS * workers.count();
        return perSecond(() -> {
            workers.forEach(turns, (i, worker) -> consumed.add((long) Exhaust.multiplyAdd(STEPS)));
            return (double) turns * STEPS * Exhaust.FLOPS;
        });
    }

    /** Some work, and how much of it was done. */
    private interface Work {
        double run();
    }

    private double perSecond(Work work) {
        long begin = System.nanoTime();
        double done = 0;
        long nanos;
        do {
            done += work.run();
            nanos = System.nanoTime() - begin;
        } while (nanos < sampleNanos);
        return done * NANOS / nanos;
    }

    @Override
    public void close() {
        workers.close();
        arena.close();
    }
}
