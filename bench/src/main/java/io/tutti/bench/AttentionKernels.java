package io.tutti.bench;

import io.tutti.engine.host.kernel.Attend;
import io.tutti.engine.host.kernel.CacheReads;
import io.tutti.engine.host.kernel.Softmax;
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
 * The kernels of attention, on all cores. An operation is a segment of {@value #POSITIONS} positions of one KV head of {@value
 * #HEAD_DIM} numbers, and four query rows: {@code scores} and {@code values} each do 2 x 4 x {@value #POSITIONS} x {@value
 * #HEAD_DIM} floating-point operations, {@code read*} widen {@value #POSITIONS} x {@value #HEAD_DIM} numbers of the cache.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(value = 1, jvmArgsAppend = "--add-modules=jdk.incubator.vector")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Threads(Threads.MAX)
public class AttentionKernels {

    private static final int POSITIONS = Attend.POSITIONS;
    private static final int HEAD_DIM = 64;
    private static final int ROWS = 4;
    private static final int BLOCK = 16;
    private static final int NUMBERS = POSITIONS * HEAD_DIM;
    /** Segments of the cache, 32 MiB a thread as f16: more than its own caches hold. */
    private static final int SEGMENTS = 1024;

    /** One thread's rows, its keys and values in f32, and its part of the cache. */
    @State(Scope.Thread)
    public static class Segments {
        private final float[] q = new float[ROWS * HEAD_DIM];
        private final float[] keys = new float[NUMBERS];
        private final short[] halves = new short[4 * BLOCK * HEAD_DIM];
        private final float[] values = new float[NUMBERS + Attend.padded(1)];
        private final float[] weights = new float[ROWS * POSITIONS];
        private final float[] scores = new float[ROWS * POSITIONS];
        private final float[] sums = new float[ROWS];
        private final float[] out = new float[ROWS * Attend.padded(HEAD_DIM)];
        private Arena arena;
        private MemorySegment cache;
        private int segment;

        @Setup
        @SuppressWarnings("MustBeClosed") // closed when the trial ends
        public void fill() {
            Random random = new Random(1);
            for (float[] array : new float[][] {q, keys, values, weights}) {
                for (int i = 0; i < array.length; i++) {
                    array[i] = random.nextFloat();
                }
            }
            arena = Arena.ofShared();
            cache = arena.allocate((long) SEGMENTS * NUMBERS * Short.BYTES, 64);
            for (long i = 0; i < cache.byteSize() / Short.BYTES; i++) {
                cache.setAtIndex(ValueLayout.JAVA_SHORT, i, Float.floatToFloat16(random.nextFloat()));
            }
        }

        @TearDown
        public void free() {
            arena.close();
        }

        private long next() {
            segment = (segment + 1) % SEGMENTS;
            return segment * (long) NUMBERS * Short.BYTES;
        }
    }

    @Benchmark
    public float[] scores(Segments s) {
        Attend.scores(s.q, HEAD_DIM, 0, 1, 2, 3, 0, HEAD_DIM, s.keys, POSITIONS, s.scores, 0);
        return s.scores;
    }

    @Benchmark
    public float[] values(Segments s) {
        int width = Attend.padded(HEAD_DIM);
        Attend.values(
                s.weights, 0, 0, 1, 2, 3, 0, POSITIONS, s.values, HEAD_DIM, width, s.out, 0, width, 2 * width,
                3 * width);
        return s.out;
    }

    @Benchmark
    public float[] softmax(Segments s) {
        for (int row = 0; row < ROWS; row++) {
            System.arraycopy(s.weights, row * POSITIONS, s.scores, row * POSITIONS, POSITIONS);
            Softmax.weights(s.scores, row * POSITIONS, POSITIONS);
        }
        int n = POSITIONS;
        Softmax.sums(s.scores, 0, n, 2 * n, 3 * n, n, n, n, n, s.sums, 0, 1, 2, 3);
        return s.sums;
    }

    @Benchmark
    public float[] join(Segments s) {
        int width = Attend.padded(HEAD_DIM);
        for (int row = 0; row < ROWS; row++) {
            Attend.join(0.5f, s.values, row * width, s.out, width);
        }
        return s.out;
    }

    /** Blocks as the kernels like them, a chunk of four at a time. */
    @Benchmark
    public float[] readF16(Segments s) {
        long at = s.next();
        int block = BLOCK * HEAD_DIM;
        for (int i = 0; i < NUMBERS; i += s.halves.length) {
            for (int j = 0; j < s.halves.length; j += block) {
                CacheReads.copy(s.cache, at + (i + j) * (long) Short.BYTES, block, s.halves, j);
            }
            CacheReads.widen(s.halves, s.halves.length, s.keys);
        }
        return s.keys;
    }

    /** Keys in blocks of another size, in runs of four positions. */
    @Benchmark
    public float[] readF16Runs(Segments s) {
        long at = s.next();
        int run = 4;
        for (int i = 0; i < NUMBERS; i += run * HEAD_DIM) {
            CacheReads.f16Runs(
                    s.cache, at + i * (long) Short.BYTES, (long) run * Short.BYTES, HEAD_DIM, run, s.keys, i, run);
        }
        return s.keys;
    }
}
