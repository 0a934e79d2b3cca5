package io.tutti.bench;

import io.tutti.engine.host.kernel.Gemm;
import io.tutti.engine.host.kernel.Gemv;
import io.tutti.engine.host.kernel.Runs;
import io.tutti.engine.host.kernel.SmallGemm;
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
 * The kernels of linear layers, on all cores, over weights far larger than any cache. An operation is one tile: {@value
 * #COLS} columns of 32 rows, so that {@code gemv*} reads 256 KiB (f32), 128 KiB (f16, bf16) or 36 KiB (int4), and {@code
 * gemm} does 2 x 32 x {@value #COLS} x {@value #TOKENS} floating-point operations, for which {@code pack} puts the
 * activations in order.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(value = 1, jvmArgsAppend = "--add-modules=jdk.incubator.vector")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Threads(Threads.MAX)
public class MatMulKernels {

    private static final int COLS = 2048;
    private static final int TOKENS = 256;
    private static final int SEGMENT = 256;
    private static final int GROUP = 32;
    private static final int TILES = 1024;

    /** One thread's weights, activations and results. */
    @State(Scope.Thread)
    public static class Tiles {
        private Arena arena;
        private MemorySegment weights;
        private MemorySegment scales;
        private final float[] x = new float[TOKENS * COLS];
        private final float[] packed = new float[TOKENS * COLS];
        private final float[] y = new float[TOKENS * Tile.ROWS];
        private final float[] columns = new float[SEGMENT * Tile.ROWS];
        private final Runs runs = new Runs();
        private int tile;

        @Setup
        @SuppressWarnings("MustBeClosed") // closed when the trial ends
        public void fill() {
            Random random = new Random(1);
            arena = Arena.ofShared();
            weights = arena.allocate((long) TILES * COLS * Tile.F32_COLUMN, 64);
            scales = arena.allocate((long) TILES * (COLS / GROUP) * Tile.HALF_COLUMN, 64);
            for (long i = 0; i < weights.byteSize() / Integer.BYTES; i++) {
                // Small numbers as f32, f16 and bf16 alike, and any nibbles.
                weights.setAtIndex(ValueLayout.JAVA_INT, i, 0x3C003C00 | (random.nextInt() & 0x007F007F));
            }
            for (long i = 0; i < scales.byteSize() / Integer.BYTES; i++) {
                scales.setAtIndex(ValueLayout.JAVA_INT, i, 0x2C002C00);
            }
            for (int i = 0; i < x.length; i++) {
                x[i] = random.nextFloat() - 0.5f;
            }
        }

        @TearDown
        public void free() {
            arena.close();
        }

        private void addHalfRuns(long at, int k) {
            runs.clear();
            for (int i = 0; i < Runs.MOST; i++) {
                int first = k + i * SEGMENT;
                runs.add(weights, at + first * (long) Tile.HALF_COLUMN, first);
            }
        }

        private int next() {
            tile = (tile + 1) % TILES;
            return tile;
        }
    }

    @Benchmark
    public void gemvF32(Tiles t) {
        long at = t.next() * (long) COLS * Tile.F32_COLUMN;
        for (int k = 0; k < COLS; k += Runs.MOST * SEGMENT) {
            t.runs.clear();
            for (int i = 0; i < Runs.MOST; i++) {
                int first = k + i * SEGMENT;
                t.runs.add(t.weights, at + first * (long) Tile.F32_COLUMN, first);
            }
            Gemv.f32(t.runs, t.x, SEGMENT);
        }
    }

    @Benchmark
    public void gemvBf16(Tiles t) {
        long at = t.next() * (long) COLS * Tile.HALF_COLUMN;
        for (int k = 0; k < COLS; k += Runs.MOST * SEGMENT) {
            t.addHalfRuns(at, k);
            Gemv.bf16(t.runs, t.x, SEGMENT);
        }
    }

    @Benchmark
    public void gemvF16(Tiles t) {
        long at = t.next() * (long) COLS * Tile.HALF_COLUMN;
        for (int k = 0; k < COLS; k += Runs.MOST * SEGMENT) {
            t.addHalfRuns(at, k);
            Gemv.f16(t.runs, t.x, SEGMENT);
        }
    }

    @Benchmark
    public void gemvInt4(Tiles t) {
        int tile = t.next();
        long at = tile * (long) (COLS / Tile.NIBBLES) * Tile.INT4_COLUMNS;
        long scalesAt = tile * (long) (COLS / GROUP) * Tile.HALF_COLUMN;
        for (int k = 0; k < COLS; k += Runs.MOST * SEGMENT) {
            t.runs.clear();
            for (int i = 0; i < Runs.MOST; i++) {
                t.runs.add(t.weights, at, t.scales, scalesAt, k + i * SEGMENT);
            }
            Gemv.int4(t.runs, GROUP, t.x, SEGMENT);
        }
    }

    @Benchmark
    public void smallGemmBf16(Tiles t) {
        long at = t.next() * (long) COLS * Tile.HALF_COLUMN;
        for (int k = 0; k < COLS; k += Runs.MOST * SEGMENT) {
            t.addHalfRuns(at, k);
            SmallGemm.bf16(t.runs, t.x, SEGMENT);
        }
    }

    @Benchmark
    public float[] pack(Tiles t) {
        for (int block = 0; block < Gemm.blocks(TOKENS); block++) {
            Gemm.pack(t.x, TOKENS, COLS, block, t.packed);
        }
        return t.packed;
    }

    @Benchmark
    public float[] gemmBf16(Tiles t) {
        long at = t.next() * (long) COLS * Tile.HALF_COLUMN;
        for (int k = 0; k < COLS; k += SEGMENT) {
            Widen.bf16(t.weights, at + k * (long) Tile.HALF_COLUMN, SEGMENT, t.columns);
            Gemm.accumulate(t.columns, SEGMENT, t.x, k, TOKENS, t.y, 0);
        }
        return t.y;
    }
}
