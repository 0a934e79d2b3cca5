package io.tutti.bench;

import io.tutti.engine.host.kernel.Exhaust;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How fast all cores together read memory: what decoding is measured against. A score of one operation a second means {@value
 * #CHUNK_MIB} MiB a second, all threads together.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(value = 1, jvmArgsAppend = "--add-modules=jdk.incubator.vector")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Threads(Threads.MAX)
public class ReadBandwidth {

    /** What one operation reads; each thread goes through memory of its own, far larger than any cache. */
    private static final int CHUNK_MIB = 16;

    private static final long CHUNK = CHUNK_MIB * 1024L * 1024;
    private static final long PER_THREAD = 32 * CHUNK;

    /** One thread's memory. */
    @State(Scope.Thread)
    public static class Memory {
        private Arena arena;
        private MemorySegment data;
        private long at;

        @Setup
        @SuppressWarnings("MustBeClosed") // closed when the trial ends
        public void allocate() {
            arena = Arena.ofShared();
            data = arena.allocate(PER_THREAD, 64).fill((byte) 1);
        }

        @TearDown
        public void free() {
            arena.close();
        }
    }

    @Benchmark
    public long read(Memory memory) {
        long from = memory.at;
        memory.at = (from + CHUNK) % PER_THREAD;
        return Exhaust.read(memory.data, from, CHUNK);
    }
}
