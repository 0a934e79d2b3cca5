package io.tutti.engine.host;

import static io.tutti.engine.host.kernel.Tile.HALF;
import static io.tutti.engine.host.kernel.Tile.NIBBLES;
import static io.tutti.engine.host.kernel.Tile.ROWS;

import io.tutti.engine.host.kernel.Tile;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.weights.DenseWeight;
import io.tutti.modelio.weights.Floats;
import io.tutti.modelio.weights.Int4Weight;
import io.tutti.modelio.weights.Weight;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Repacks stored weights into {@link Tile}s, once, at load; and refuses values that are not finite on the way. Tiles are
 * packed in parallel, each through a buffer on the heap, where the shuffling loops run fastest. The memory that receives
 * them is the caller's: device backends lay the matrices of several layers end to end.
 */
public final class TilePacker {

    /** A tile is packed in one array. */
    private static final int MOST_COLS = Integer.MAX_VALUE / ROWS;

    private final Workers workers;

    /** @param workers who packs */
    public TilePacker(Workers workers) {
        this.workers = workers;
    }

    /** Tiles that {@code rows} rows take. */
    public static int tiles(int rows) {
        return (rows + ROWS - 1) / ROWS;
    }

    /** Bytes of an f32 matrix in tiles. */
    public static long f32Bytes(int rows, int cols) {
        return Math.multiplyExact(tiles(rows), (long) cols * Tile.F32_COLUMN);
    }

    /** Bytes of an f16 or bf16 matrix in tiles. */
    public static long halfBytes(int rows, int cols) {
        return Math.multiplyExact(tiles(rows), (long) cols * Tile.HALF_COLUMN);
    }

    /** Bytes of an int4 matrix in tiles, without its scales; those are {@link #halfBytes} of {@code cols / group}. */
    public static long int4Bytes(int rows, int cols) {
        return Math.multiplyExact(tiles(rows), (long) words(cols) * Tile.INT4_COLUMNS);
    }

    /** Words of eight columns in a row, the last one padded. */
    static int words(int cols) {
        return (cols + NIBBLES - 1) / NIBBLES;
    }

    private static void requireColumns(Weight weight) {
        if (weight.cols() > MOST_COLS) {
            throw ModelException.of(
                    weight.file(),
                    "tensor " + ModelException.quote(weight.name()) + " has " + weight.cols()
                            + " columns; accepted: at most " + MOST_COLS);
        }
    }

    /** Packs an f32 matrix into {@code tiles}, of {@link #f32Bytes}. */
    public void packF32(DenseWeight weight, MemorySegment tiles) {
        requireColumns(weight);
        int cols = weight.cols();
        Buffers<float[]> rows = new Buffers<>(() -> new float[ROWS * cols]);
        Buffers<float[]> packed = new Buffers<>(() -> new float[ROWS * cols]);
        FirstBad bad = new FirstBad();
        workers.forEach(tiles(weight.rows()), (tile, worker) -> {
            int first = tile * ROWS;
            int count = Math.min(ROWS, weight.rows() - first);
            float[] in = rows.of(worker);
            float[] out = packed.of(worker);
            Arrays.fill(out, 0f);
            MemorySegment.copy(weight.data(), Floats.F32, (long) first * cols * Float.BYTES, in, 0, count * cols);
            for (int r = 0; r < count; r++) {
                boolean finite = true;
                for (int k = 0; k < cols; k++) {
                    float value = in[r * cols + k];
                    finite &= Math.abs(value) <= Float.MAX_VALUE;
                    out[k * ROWS + r] = value;
                }
                if (!finite) {
                    bad.row(first + r);
                }
            }
            MemorySegment.copy(out, 0, tiles, Tile.FLOAT, (long) tile * cols * Tile.F32_COLUMN, ROWS * cols);
        });
        bad.refuse(weight);
    }

    /** Packs an f16 or bf16 matrix into {@code tiles}, of {@link #halfBytes}. */
    public void packHalves(DenseWeight weight, MemorySegment tiles) {
        requireColumns(weight);
        int infinity = switch (weight.dtype()) {
            case BF16 -> 0x7F80;
            case F16 -> 0x7C00;
            default -> throw new IllegalArgumentException(weight.dtype() + " has not 16 bits");
        };
        FirstBad bad = new FirstBad();
        packHalves(weight.data(), weight.rows(), weight.cols(), infinity, bad, tiles);
        bad.refuse(weight);
    }

    /** @param infinity the bits that only infinities and NaNs have all set */
    private void packHalves(
            MemorySegment data, int allRows, int cols, int infinity, FirstBad bad, MemorySegment tiles) {
        Buffers<short[]> rows = new Buffers<>(() -> new short[ROWS * cols]);
        Buffers<int[]> packed = new Buffers<>(() -> new int[HALF * cols]);
        workers.forEach(tiles(allRows), (tile, worker) -> {
            int first = tile * ROWS;
            int count = Math.min(ROWS, allRows - first);
            short[] in = rows.of(worker);
            int[] out = packed.of(worker);
            Arrays.fill(out, 0);
            MemorySegment.copy(data, Floats.HALF, (long) first * cols * Short.BYTES, in, 0, count * cols);
            for (int r = 0; r < count; r++) {
                if (!interleave(in, r * cols, cols, out, r % HALF, r < HALF ? 0 : 16, infinity)) {
                    bad.row(first + r);
                }
            }
            MemorySegment.copy(out, 0, tiles, Tile.INT, (long) tile * cols * Tile.HALF_COLUMN, HALF * cols);
        });
    }

    /**
     * Puts a row's halves into every {@value Tile#HALF}th int from {@code at} on, shifted to their half of it.
     *
     * @return whether all of them are finite
     */
    private static boolean interleave(short[] row, int from, int cols, int[] out, int at, int shift, int infinity) {
        boolean finite = true;
        for (int k = 0; k < cols; k++) {
            int bits = row[from + k] & 0xFFFF;
            finite &= (bits & infinity) != infinity;
            out[k * HALF + at] |= bits << shift;
        }
        return finite;
    }

    /** Packs an int4 matrix into {@code tiles}, of {@link #int4Bytes}, and {@code scales}, of its groups' {@link #halfBytes}. */
    public void packInt4(Int4Weight weight, MemorySegment tiles, MemorySegment scales) {
        requireColumns(weight);
        packNibbles(weight, tiles);
        int groups = weight.cols() / weight.group();
        packHalves(weight.scales(), weight.rows(), groups, 0x7C00, new FirstBad(), scales);
    }

    private void packNibbles(Int4Weight weight, MemorySegment tiles) {
        int cols = weight.cols();
        int words = words(cols);
        Buffers<byte[]> rows = new Buffers<>(() -> new byte[ROWS * (cols / 2)]);
        Buffers<int[]> packed = new Buffers<>(() -> new int[ROWS * words]);
        workers.forEach(tiles(weight.rows()), (tile, worker) -> {
            int first = tile * ROWS;
            int count = Math.min(ROWS, weight.rows() - first);
            int rowBytes = cols / 2;
            byte[] in = rows.of(worker);
            int[] out = packed.of(worker);
            Arrays.fill(out, 0);
            MemorySegment.copy(
                    weight.qweight(), ValueLayout.JAVA_BYTE, (long) first * rowBytes, in, 0, count * rowBytes);
            for (int r = 0; r < count; r++) {
                for (int b = 0; b < rowBytes; b++) {
                    // Two columns a byte, the even one low: the stored order is the packed one.
                    out[2 * b / NIBBLES * ROWS + r] |= (in[r * rowBytes + b] & 0xFF) << (4 * (2 * b % NIBBLES));
                }
            }
            MemorySegment.copy(out, 0, tiles, Tile.INT, (long) tile * words * Tile.INT4_COLUMNS, words * ROWS);
        });
    }

    /** A buffer for each worker that comes to need one. */
    private final class Buffers<T> {
        private final Supplier<T> make;
        private final List<T> made = new ArrayList<>(Collections.nCopies(workers.count(), null));

        Buffers(Supplier<T> make) {
            this.make = make;
        }

        /** The worker's own; no other worker asks for it. */
        T of(int worker) {
            if (made.get(worker) == null) {
                made.set(worker, make.get());
            }
            return made.get(worker);
        }
    }

    /** The first row with a value that is not finite, whichever worker finds it. */
    private static final class FirstBad {
        private final AtomicLong row = new AtomicLong(Long.MAX_VALUE);

        void row(long found) {
            row.accumulateAndGet(found, Math::min);
        }

        void refuse(DenseWeight weight) {
            if (row.get() != Long.MAX_VALUE) {
                weight.row((int) row.get(), new float[weight.cols()]); // throws, naming the element
                throw ModelException.of(
                        weight.file(), "tensor " + ModelException.quote(weight.name()) + " changed while it was read");
            }
        }
    }
}
