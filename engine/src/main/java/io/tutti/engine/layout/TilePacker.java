package io.tutti.engine.layout;

import static io.tutti.engine.layout.Tile.HALF;
import static io.tutti.engine.layout.Tile.NIBBLES;
import static io.tutti.engine.layout.Tile.ROWS;

import io.tutti.engine.parallel.Workers;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.weights.DenseWeight;
import io.tutti.modelio.weights.Floats;
import io.tutti.modelio.weights.Int4Weight;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Repacks stored weights into {@link Tile}s, once, at load; and refuses values that are not finite on the way. Tiles are
 * packed in parallel, some columns at a time, so that what a row's values are scattered over stays in the first-level
 * cache. The memory that receives them is the caller's: device backends lay the matrices of several layers end to end.
 * A packer takes one matrix at a time.
 */
public final class TilePacker {

    /** Columns, or words of int4's, that are packed at a time. */
    private static final int BLOCK = 256;

    /** Eight columns of int4, or the bits of an f32. */
    private static final ValueLayout.OfInt WORD = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Workers workers;
    private final Buffers[] buffers;

    /** @param workers who packs */
    public TilePacker(Workers workers) {
        this.workers = workers;
        buffers = Stream.generate(Buffers::new).limit(workers.count()).toArray(Buffers[]::new);
    }

    /** A worker's: on the heap, where loops over single values run fastest. */
    private static final class Buffers {
        final int[] block = new int[BLOCK * ROWS];
        final int[] words = new int[BLOCK];
        final short[] low = new short[BLOCK];
        final short[] high = new short[BLOCK];
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
    public static int words(int cols) {
        return (cols + NIBBLES - 1) / NIBBLES;
    }

    /** Packs an f32 matrix into {@code tiles}, of {@link #f32Bytes}. */
    public void packF32(DenseWeight weight, MemorySegment tiles) {
        int rows = weight.rows();
        int cols = weight.cols();
        FirstBad bad = new FirstBad();
        forEachBlock(rows, cols, (tile, k, n, own) -> {
            int first = tile * ROWS;
            int carries = 0;
            for (int r = 0; r < Math.min(ROWS, rows - first); r++) {
                MemorySegment.copy(weight.data(), WORD, at(first + r, cols, k, Float.BYTES), own.words, 0, n);
                carries |= Scatter.words(own.words, n, 0x7F800000, own.block, r);
            }
            if (carries < 0) {
                bad.found(tile);
            }
            MemorySegment.copy(own.block, 0, tiles, Tile.INT, at(tile, cols, k, Tile.F32_COLUMN), n * ROWS);
        });
        bad.refuse(weight);
    }

    /** Packs an f16 or bf16 matrix into {@code tiles}, of {@link #halfBytes}. */
    public void packHalves(DenseWeight weight, MemorySegment tiles) {
        int infinity = switch (weight.dtype()) {
            case BF16 -> 0x7F80;
            case F16 -> 0x7C00;
            default -> throw new IllegalArgumentException(weight.dtype() + " has not 16 bits");
        };
        FirstBad bad = new FirstBad();
        packHalves(weight.data(), weight.rows(), weight.cols(), infinity, bad, tiles);
        bad.refuse(weight);
    }

    private void packHalves(MemorySegment data, int rows, int cols, int infinity, FirstBad bad, MemorySegment tiles) {
        forEachBlock(rows, cols, (tile, k, n, own) -> {
            int first = tile * ROWS;
            int carries = 0;
            for (int r = 0; r < Math.min(HALF, rows - first); r++) {
                MemorySegment.copy(data, Floats.HALF, at(first + r, cols, k, Short.BYTES), own.low, 0, n);
                if (first + r + HALF < rows) {
                    MemorySegment.copy(data, Floats.HALF, at(first + r + HALF, cols, k, Short.BYTES), own.high, 0, n);
                } else {
                    Arrays.fill(own.high, 0, n, (short) 0);
                }
                carries |= Scatter.pairs(own.low, own.high, n, infinity, own.block, r);
            }
            if ((carries & 0x8000) != 0) {
                bad.found(tile);
            }
            MemorySegment.copy(own.block, 0, tiles, Tile.INT, at(tile, cols, k, Tile.HALF_COLUMN), n * HALF);
        });
    }

    /** Packs an int4 matrix into {@code tiles}, of {@link #int4Bytes}, and {@code scales}, of its groups' {@link #halfBytes}. */
    public void packInt4(Int4Weight weight, MemorySegment tiles, MemorySegment scales) {
        packNibbles(weight, tiles);
        int groups = weight.cols() / weight.group();
        // The scales were checked when the weight was opened.
        packHalves(weight.scales(), weight.rows(), groups, 0x7C00, new FirstBad(), scales);
    }

    /** Two columns a byte, the even one low: the stored order is the packed one, but for the last word of a row. */
    private void packNibbles(Int4Weight weight, MemorySegment tiles) {
        int rows = weight.rows();
        int rowBytes = weight.cols() / 2;
        int whole = rowBytes / Integer.BYTES;
        int words = words(weight.cols());
        forEachBlock(rows, words, (tile, w, n, own) -> {
            int first = tile * ROWS;
            for (int r = 0; r < Math.min(ROWS, rows - first); r++) {
                long row = (long) (first + r) * rowBytes;
                MemorySegment.copy(
                        weight.qweight(), WORD, row + (long) w * Integer.BYTES, own.words, 0, Math.min(n, whole - w));
                if (w + n > whole) {
                    own.words[whole - w] = lastWord(weight.qweight(), row, rowBytes);
                }
                Scatter.words(own.words, n, 0, own.block, r);
            }
            MemorySegment.copy(own.block, 0, tiles, Tile.INT, at(tile, words, w, Tile.INT4_COLUMNS), n * ROWS);
        });
    }

    /** Where column {@code k} of a row, or of a tile, begins. */
    private static long at(int row, int cols, int k, int columnBytes) {
        return ((long) row * cols + k) * columnBytes;
    }

    /** Packs {@code n} of a tile's columns from {@code k} on. */
    @FunctionalInterface
    private interface BlockTask {
        /** @param own the worker's, with zeros in its block for the rows that a last tile has not */
        void run(int tile, int k, int n, Buffers own);
    }

    private void forEachBlock(int rows, int cols, BlockTask task) {
        workers.forEach(tiles(rows), (tile, worker) -> {
            Buffers own = buffers[worker];
            if (rows - tile * ROWS < ROWS) {
                Arrays.fill(own.block, 0);
            }
            for (int k = 0; k < cols; k += BLOCK) {
                task.run(tile, k, Math.min(BLOCK, cols - k), own);
            }
        });
    }

    /** The last bytes of a row, fewer than four. */
    private static int lastWord(MemorySegment data, long row, int rowBytes) {
        int word = 0;
        for (int b = rowBytes - rowBytes % Integer.BYTES; b < rowBytes; b++) {
            word |= (data.get(ValueLayout.JAVA_BYTE, row + b) & 0xFF) << (Byte.SIZE * (b % Integer.BYTES));
        }
        return word;
    }

    /** The first tile with a value that is not finite, whichever worker finds it. */
    private static final class FirstBad {
        private final AtomicInteger tile = new AtomicInteger(Integer.MAX_VALUE);

        void found(int bad) {
            tile.accumulateAndGet(bad, Math::min);
        }

        void refuse(DenseWeight weight) {
            if (tile.get() == Integer.MAX_VALUE) {
                return;
            }
            float[] values = new float[weight.cols()];
            for (int row = tile.get() * ROWS; row < Math.min((tile.get() + 1) * ROWS, weight.rows()); row++) {
                weight.row(row, values); // throws, naming the element
            }
            throw ModelException.of(
                    weight.file(), "tensor " + ModelException.quote(weight.name()) + " changed while it was read");
        }
    }
}
