package io.tutti.bench;

import io.tutti.engine.layout.TilePacker;
import io.tutti.engine.parallel.Workers;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.safetensors.TensorWindow;
import io.tutti.modelio.weights.DenseWeight;
import io.tutti.modelio.weights.Int4Weight;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * Repacking weights into tiles at load, by a team of all cores. An operation is a matrix of {@value #ROWS} x {@value #COLS}: 64
 * MiB as f32, 32 as f16 or bf16, 9 as int4 with its scales.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(value = 1, jvmArgsAppend = "--add-modules=jdk.incubator.vector")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class Packing {

    private static final int ROWS = 8192;
    private static final int COLS = 2048;
    private static final int GROUP = 32;
    private static final Path FILE = Path.of("zeros");

    /** The matrices, and room for their tiles. */
    @State(Scope.Benchmark)
    public static class Matrices {
        private final DenseWeight f32 = dense(Dtype.F32);
        private final DenseWeight bf16 = dense(Dtype.BF16);
        private final Int4Weight int4 = new Int4Weight(
                "int4",
                FILE,
                ROWS,
                COLS,
                GROUP,
                TensorWindow.allocate((long) ROWS * COLS / 2),
                TensorWindow.allocate((long) ROWS * (COLS / GROUP) * Short.BYTES));
        private Workers workers;
        private TilePacker packer;
        private Arena arena;
        private MemorySegment tiles;
        private MemorySegment scales;

        @Setup
        @SuppressWarnings("MustBeClosed") // closed when the trial ends
        public void start() {
            workers = new Workers(Runtime.getRuntime().availableProcessors());
            packer = new TilePacker(workers);
            arena = Arena.ofShared();
            tiles = arena.allocate(TilePacker.f32Bytes(ROWS, COLS), 64);
            scales = arena.allocate(TilePacker.halfBytes(ROWS, COLS / GROUP), 64);
        }

        @TearDown
        public void end() {
            workers.close();
            arena.close();
            f32.close();
            bf16.close();
            int4.close();
        }

        private static DenseWeight dense(Dtype dtype) {
            TensorWindow window = TensorWindow.allocate((long) ROWS * COLS * dtype.bytes());
            window.data().fill((byte) 0x11); // Pages that were never written would all be one, in the cache.
            return new DenseWeight("dense", FILE, dtype, ROWS, COLS, window);
        }
    }

    @Benchmark
    public void f32(Matrices m) {
        m.packer.packF32(m.f32, m.tiles);
    }

    @Benchmark
    public void bf16(Matrices m) {
        m.packer.packHalves(m.bf16, m.tiles);
    }

    @Benchmark
    public void int4(Matrices m) {
        m.packer.packInt4(m.int4, m.tiles, m.scales);
    }
}
