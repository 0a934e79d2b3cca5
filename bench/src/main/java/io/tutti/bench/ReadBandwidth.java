package io.tutti.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;
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
    private static final VectorSpecies<Long> LONGS = LongVector.SPECIES_PREFERRED;

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
        MemorySegment data = memory.data;
        long from = memory.at;
        memory.at = (from + CHUNK) % PER_THREAD;
        int width = LONGS.vectorByteSize();
        LongVector a = LongVector.zero(LONGS);
        LongVector b = a;
        LongVector c = a;
        LongVector d = a;
        for (int i = 0; i < CHUNK; i += 4 * width) {
            long p = from + i;
            a = a.add(LongVector.fromMemorySegment(LONGS, data, p, ByteOrder.LITTLE_ENDIAN));
            b = b.add(LongVector.fromMemorySegment(LONGS, data, p + width, ByteOrder.LITTLE_ENDIAN));
            c = c.add(LongVector.fromMemorySegment(LONGS, data, p + 2L * width, ByteOrder.LITTLE_ENDIAN));
            d = d.add(LongVector.fromMemorySegment(LONGS, data, p + 3L * width, ByteOrder.LITTLE_ENDIAN));
        }
        return a.add(b).add(c.add(d)).reduceLanes(VectorOperators.ADD);
    }
}
