package io.tutti.bench;

import io.tutti.engine.host.kernel.Int8Gemm;
import io.tutti.engine.host.kernel.Int8Gemv;
import io.tutti.engine.host.kernel.Int8Rows;
import io.tutti.engine.host.kernel.ScaleRuns;
import io.tutti.engine.layout.Tile;
import io.tutti.engine.numerics.Int8Activations;
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
 * The kernels of int4 weights with int8 activations, as {@link MatMulKernels} has the others: {@code gemv} takes two
 * tiles of {@value #COLS} columns, 72 KiB; {@code gemm} takes one and does 2 x 32 x {@value #COLS} x {@value #TOKENS} operations;
 * {@code quantize} turns a row into what {@code gemv} takes, {@code pack} {@value #TOKENS} of them into what {@code gemm} does.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"--add-modules=jdk.incubator.vector", "-XX:+UseSerialGC"})
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Threads(Threads.MAX)
public class Int8Kernels {

    private static final int COLS = 2048;
    private static final int TOKENS = 256;
    private static final int GROUP = 32;
    private static final int TILES = 4096;

    /** One thread's weights, activations and results. */
    @State(Scope.Thread)
    public static class Tiles {
        private final ScaleRuns runs = new ScaleRuns(COLS, GROUP);
        private final float[] x = new float[TOKENS * COLS];
        private final int[] q = new int[Int8Rows.words(COLS)];
        private final float[] blockScales = new float[Int8Activations.blocks(COLS)];
        private final int[] multipliers = new int[runs.entries() * Int8Rows.PAIRS];
        private final int[] starts = new int[runs.count()];
        private final float[] runScales = new float[runs.count()];
        private final int[] rows = new int[Int8Rows.segmentOfBlock(runs)];
        private final int[] pairs = new int[TOKENS * runs.entries() * Int8Rows.PAIRS];
        private final float[] scalesOfPairs = new float[TOKENS * runs.count()];
        private final int[] nibbles = new int[Int8Gemm.UNPACKED];
        private final float[] weightScales = new float[Int8Gemm.scales(runs)];
        private final float[] sums = new float[Int8Gemm.SUMS];
        private final float[] y = new float[TOKENS * Tile.ROWS];
        private Arena arena;
        private MemorySegment weights;
        private MemorySegment scales;
        private int tile;

        @Setup
        @SuppressWarnings("MustBeClosed") // closed when the trial ends
        public void fill() {
            Random random = new Random(1);
            arena = Arena.ofShared();
            weights = arena.allocate((long) TILES * (COLS / Tile.NIBBLES) * Tile.INT4_COLUMNS, 64);
            scales = arena.allocate((long) TILES * (COLS / GROUP) * Tile.HALF_COLUMN, 64);
            for (long i = 0; i < weights.byteSize() / Integer.BYTES; i++) {
                weights.setAtIndex(ValueLayout.JAVA_INT, i, random.nextInt());
            }
            for (long i = 0; i < scales.byteSize() / Integer.BYTES; i++) {
                scales.setAtIndex(ValueLayout.JAVA_INT, i, 0x2C002C00);
            }
            for (int i = 0; i < x.length; i++) {
                x[i] = random.nextFloat() - 0.5f;
            }
            quantizeRow();
            pack();
        }

        private void pack() {
            for (int block = 0; block < Int8Rows.blocks(TOKENS); block++) {
                Int8Rows.pack(x, TOKENS, runs, block, q, blockScales, rows, pairs, scalesOfPairs);
            }
        }

        private void quantizeRow() {
            Int8Rows.quantize(x, 0, COLS, q, blockScales);
            Int8Rows.multipliers(runs, q, blockScales, multipliers, starts, runScales);
        }

        @TearDown
        public void free() {
            arena.close();
        }

        private int next() {
            tile = (tile + 2) % TILES;
            return tile;
        }

        private long otherAt() {
            return at() + (COLS / Tile.NIBBLES) * (long) Tile.INT4_COLUMNS;
        }

        private long otherScalesAt() {
            return scalesAt() + (COLS / GROUP) * (long) Tile.HALF_COLUMN;
        }

        private long at() {
            return tile * (long) (COLS / Tile.NIBBLES) * Tile.INT4_COLUMNS;
        }

        private long scalesAt() {
            return tile * (long) (COLS / GROUP) * Tile.HALF_COLUMN;
        }
    }

    @Benchmark
    public int[] quantize(Tiles t) {
        t.quantizeRow();
        return t.multipliers;
    }

    @Benchmark
    public int[] pack(Tiles t) {
        t.pack();
        return t.pairs;
    }

    @Benchmark
    public float[] gemv(Tiles t) {
        t.next();
        for (int s = 0; s < t.runs.segments(); s++) {
            Int8Gemv.segment(
                    t.weights,
                    t.at(),
                    t.scales,
                    t.scalesAt(),
                    t.weights,
                    t.otherAt(),
                    t.scales,
                    t.otherScalesAt(),
                    t.runs,
                    s,
                    t.multipliers,
                    t.starts,
                    t.runScales,
                    t.y,
                    0);
        }
        return t.y;
    }

    @Benchmark
    public float[] gemm(Tiles t) {
        t.next();
        for (int s = 0; s < t.runs.segments(); s++) {
            Int8Gemm.unpack(t.weights, t.at(), t.scales, t.scalesAt(), t.runs, s, t.nibbles, t.weightScales);
            Int8Gemm.accumulate(t.nibbles, t.weightScales, t.runs, s, t.pairs, t.scalesOfPairs, TOKENS, t.sums, t.y, 0);
        }
        return t.y;
    }
}
