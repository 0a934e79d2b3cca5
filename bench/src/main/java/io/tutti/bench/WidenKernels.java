package io.tutti.bench;

import io.tutti.engine.host.kernel.Widen;
import io.tutti.engine.layout.Tile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
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
 * Stored weights to f32, on all cores, over weights that stay in the caches: what prefill pays for each tile besides the
 * arithmetic. An operation is a segment of a tile, {@value #SEGMENT} columns of 32 rows.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(value = 1, jvmArgsAppend = "--add-modules=jdk.incubator.vector")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Threads(Threads.MAX)
public class WidenKernels {

    private static final int SEGMENT = 256;
    private static final int GROUP = 32;

    /** One thread's segment. */
    @State(Scope.Thread)
    public static class Segment {
        private final float[] columns = new float[SEGMENT * Tile.ROWS];
        private Arena arena;
        private MemorySegment weights;
        private MemorySegment scales;

        @Setup
        @SuppressWarnings("MustBeClosed") // closed when the trial ends
        public void fill() {
            Random random = new Random(1);
            arena = Arena.ofShared();
            weights = arena.allocate((long) SEGMENT * Tile.F32_COLUMN, 64);
            scales = arena.allocate((long) (SEGMENT / GROUP) * Tile.HALF_COLUMN, 64);
            for (long i = 0; i < weights.byteSize() / Integer.BYTES; i++) {
                // Small numbers as f32, f16 and bf16 alike, and any nibbles.
                weights.setAtIndex(ValueLayout.JAVA_INT, i, 0x3C003C00 | (random.nextInt() & 0x007F007F));
            }
            for (long i = 0; i < scales.byteSize() / Integer.BYTES; i++) {
                scales.setAtIndex(ValueLayout.JAVA_INT, i, 0x2C002C00);
            }
        }

        @TearDown
        public void free() {
            arena.close();
        }
    }

    @Benchmark
    public float[] f32(Segment s) {
        Widen.f32(s.weights, 0, SEGMENT, s.columns);
        return s.columns;
    }

    @Benchmark
    public float[] bf16(Segment s) {
        Widen.bf16(s.weights, 0, SEGMENT, s.columns);
        return s.columns;
    }

    @Benchmark
    public float[] f16(Segment s) {
        Widen.f16(s.weights, 0, SEGMENT, s.columns);
        return s.columns;
    }

    @Benchmark
    public float[] int4(Segment s) {
        Widen.int4(s.weights, 0, s.scales, 0, GROUP, 0, SEGMENT, s.columns);
        return s.columns;
    }
}
