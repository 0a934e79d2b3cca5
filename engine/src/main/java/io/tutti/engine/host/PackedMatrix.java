package io.tutti.engine.host;

import io.tutti.engine.host.kernel.Gemv;
import io.tutti.engine.host.kernel.Int8Gemm;
import io.tutti.engine.host.kernel.Int8Gemv;
import io.tutti.engine.host.kernel.Int8Rows;
import io.tutti.engine.host.kernel.ScaleRuns;
import io.tutti.engine.host.kernel.Tile;
import io.tutti.engine.host.kernel.Widen;
import io.tutti.engine.reference.Numerics;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A weight matrix {@code [rows, cols]} in its stored precision, laid out in {@link Tile}s off-heap. Values become f32 in
 * registers, or in a buffer that never leaves the first-level cache.
 */
sealed interface PackedMatrix {

    int rows();

    int cols();

    /** The tiles' bytes, scales included. */
    long bytes();

    default int tiles() {
        return TilePacker.tiles(rows());
    }

    /** Writes the product of a tile and a vector {@code x}, {@code [cols]}, to {@code y[32]}. */
    default void multiply(int tile, float[] x, float[] y) {
        Arrays.fill(y, 0, Tile.ROWS, 0f);
        for (int k = 0; k < cols(); ) {
            int n = Math.min(Numerics.SEGMENT, cols() - k);
            boolean pair = cols() - k >= 2 * Numerics.SEGMENT && pairs();
            multiply(tile, k, n, pair, x, y);
            k += pair ? 2 * n : n;
        }
    }

    /** Whether {@link #multiply(int, int, int, boolean, float[], float[])} takes two segments at once. */
    default boolean pairs() {
        return true;
    }

    /**
     * Adds to {@code y[32]} the product of the columns from {@code k} on with {@code x}, {@code [cols]}: a segment of {@code n}
     * columns, or, if {@code pair}, two whole segments, one after the other.
     */
    void multiply(int tile, int k, int n, boolean pair, float[] x, float[] y);

    /** Writes columns {@code k} to {@code k + n} of a tile to {@code out} as f32, {@code [n, 32]}. */
    void widen(int tile, int k, int n, float[] out);

    /** Writes one row to {@code out}, {@code [cols]} from {@code at} on. */
    void row(int row, float[] out, int at);

    /** f32 weights. */
    record F32(int rows, int cols, MemorySegment data) implements PackedMatrix {
        @Override
        public long bytes() {
            return data.byteSize();
        }

        private long at(int tile, int k) {
            return ((long) tile * cols + k) * Tile.F32_COLUMN;
        }

        @Override
        public void multiply(int tile, int k, int n, boolean pair, float[] x, float[] y) {
            Gemv.f32(data, at(tile, k), x, k, n, pair, y);
        }

        @Override
        public void widen(int tile, int k, int n, float[] out) {
            Widen.f32(data, at(tile, k), n, out);
        }

        @Override
        public void row(int row, float[] out, int at) {
            long from = at(row / Tile.ROWS, 0) + (row % Tile.ROWS) * (long) Float.BYTES;
            for (int k = 0; k < cols; k++) {
                out[at + k] = data.get(Tile.FLOAT, from + k * (long) Tile.F32_COLUMN);
            }
        }
    }

    /** bf16 weights. */
    record Bf16(int rows, int cols, MemorySegment data) implements PackedMatrix {
        @Override
        public long bytes() {
            return data.byteSize();
        }

        @Override
        public void multiply(int tile, int k, int n, boolean pair, float[] x, float[] y) {
            Gemv.bf16(data, Halfword.at(tile, k, cols), x, k, n, pair, y);
        }

        @Override
        public void widen(int tile, int k, int n, float[] out) {
            Widen.bf16(data, Halfword.at(tile, k, cols), n, out);
        }

        @Override
        public void row(int row, float[] out, int at) {
            for (int k = 0; k < cols; k++) {
                out[at + k] = Float.intBitsToFloat(Halfword.get(data, row, k, cols) << 16);
            }
        }
    }

    /** f16 weights, all finite. */
    record F16(int rows, int cols, MemorySegment data) implements PackedMatrix {
        @Override
        public long bytes() {
            return data.byteSize();
        }

        @Override
        public void multiply(int tile, int k, int n, boolean pair, float[] x, float[] y) {
            Gemv.f16(data, Halfword.at(tile, k, cols), x, k, n, pair, y);
        }

        @Override
        public void widen(int tile, int k, int n, float[] out) {
            Widen.f16(data, Halfword.at(tile, k, cols), n, out);
        }

        @Override
        public void row(int row, float[] out, int at) {
            for (int k = 0; k < cols; k++) {
                out[at + k] = Float.float16ToFloat(Halfword.get(data, row, k, cols));
            }
        }
    }

    /** int4 weights: nibbles, and an f16 scale for every {@code group} columns of a row. */
    record Int4(int rows, int cols, int group, MemorySegment data, MemorySegment scales) implements PackedMatrix {
        @Override
        public long bytes() {
            return data.byteSize() + scales.byteSize();
        }

        @Override
        public boolean pairs() {
            return false;
        }

        private long nibblesAt(int tile) {
            return (long) tile * TilePacker.words(cols) * Tile.INT4_COLUMNS;
        }

        private long scalesAt(int tile) {
            return Halfword.at(tile, 0, cols / group);
        }

        @Override
        public void multiply(int tile, int k, int n, boolean pair, float[] x, float[] y) {
            Gemv.int4(data, nibblesAt(tile), scales, scalesAt(tile), group, x, k, n, y);
        }

        @Override
        public void widen(int tile, int k, int n, float[] out) {
            Widen.int4(data, nibblesAt(tile), scales, scalesAt(tile), group, k, n, out);
        }

        @Override
        public void row(int row, float[] out, int at) {
            long from = nibblesAt(row / Tile.ROWS) + (row % Tile.ROWS) * (long) Integer.BYTES;
            for (int k = 0; k < cols; k++) {
                int word = data.get(Tile.INT, from + (k / Tile.NIBBLES) * (long) Tile.INT4_COLUMNS);
                int q = word << (28 - 4 * (k % Tile.NIBBLES)) >> 28;
                out[at + k] = q * Float.float16ToFloat(Halfword.get(scales, row, k / group, cols / group));
            }
        }
    }

    /** int4 weights that meet activations in int8. */
    record Int8(Int4 int4, ScaleRuns runs) implements PackedMatrix {
        @Override
        public int rows() {
            return int4.rows();
        }

        @Override
        public int cols() {
            return int4.cols();
        }

        @Override
        public long bytes() {
            return int4.bytes();
        }

        @Override
        public boolean pairs() {
            return int4.pairs();
        }

        @Override
        public void multiply(int tile, int k, int n, boolean pair, float[] x, float[] y) {
            int4.multiply(tile, k, n, pair, x, y);
        }

        @Override
        public void widen(int tile, int k, int n, float[] out) {
            int4.widen(tile, k, n, out);
        }

        @Override
        public void row(int row, float[] out, int at) {
            int4.row(row, out, at);
        }

        /** Writes the products of a tile and quantized rows to {@code y}, {@code [rows, 32]}, padded for {@link Int8Rows}. */
        void multiply(int tile, QuantizedRows x, float[] y, Scratch scratch) {
            long at = int4.nibblesAt(tile);
            long scalesAt = int4.scalesAt(tile);
            if (x.rows() == 1) {
                Arrays.fill(y, 0, Tile.ROWS, 0f);
                for (int s = 0; s < runs.segments(); s++) {
                    Int8Gemv.segment(
                            int4.data, at, int4.scales, scalesAt, runs, s, x.integers(), x.starts(), x.scales(), y);
                }
                return;
            }
            int[] nibbles = scratch.nibbles(Int8Gemm.UNPACKED);
            float[] scales = scratch.weights(Int8Gemm.scales(runs));
            float[] sums = scratch.sums(Int8Gemm.SUMS);
            Arrays.fill(y, 0, Int8Rows.padded(x.rows()) * Tile.ROWS, 0f);
            for (int s = 0; s < runs.segments(); s++) {
                Int8Gemm.unpack(int4.data, at, int4.scales, scalesAt, runs, s, nibbles, scales);
                Int8Gemm.accumulate(nibbles, scales, runs, s, x.integers(), x.scales(), x.rows(), sums, y);
            }
        }
    }

    /** Where 16-bit numbers lie: row i and row i + 16 of a tile's column share an int. */
    final class Halfword {
        private Halfword() {}

        static long at(int tile, int k, int cols) {
            return ((long) tile * cols + k) * Tile.HALF_COLUMN;
        }

        static short get(MemorySegment data, int row, int k, int cols) {
            int inTile = row % Tile.ROWS;
            int pair = data.get(Tile.INT, at(row / Tile.ROWS, k, cols) + (inTile % Tile.HALF) * (long) Integer.BYTES);
            return (short) (inTile < Tile.HALF ? pair : pair >>> 16);
        }
    }
}
