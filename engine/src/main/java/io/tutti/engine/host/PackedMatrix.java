package io.tutti.engine.host;

import io.tutti.engine.host.kernel.Gemv;
import io.tutti.engine.host.kernel.Runs;
import io.tutti.engine.host.kernel.SmallGemm;
import io.tutti.engine.host.kernel.Widen;
import io.tutti.engine.layout.Tile;
import io.tutti.engine.layout.TilePacker;
import java.lang.foreign.MemorySegment;

/**
 * A weight matrix {@code [rows, cols]} in its stored precision, laid out in {@link Tile}s off-heap. Values become f32 in
 * registers, or in a buffer that never leaves the first-level cache.
 */
sealed interface PackedMatrix extends LinearWeight {

    /** The tiles' bytes, scales included. */
    long bytes();

    /** Whether the other matrix's runs of columns may be summed beside this one's. */
    default boolean isStoredAs(PackedMatrix other) {
        return getClass() == other.getClass();
    }

    /** Adds a tile's columns from {@code k}, a segment's first, on to the runs that are to be summed side by side. */
    void addRun(Runs runs, int tile, int k);

    /** Sums runs of {@code n} columns of matrices that are stored as this one is, multiplied by {@code x}, {@code [cols]}. */
    void sum(Runs runs, float[] x, int n);

    /** The most tokens that meet runs straight from memory. */
    default int mostTokens() {
        return SmallGemm.TOKENS;
    }

    /** {@link #sum} for several tokens, whose activations are packed for {@link SmallGemm}. */
    void sumSeveral(Runs runs, float[] x, int n);

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
        public void addRun(Runs runs, int tile, int k) {
            runs.add(data, at(tile, k), k);
        }

        @Override
        public void sum(Runs runs, float[] x, int n) {
            Gemv.f32(runs, x, n);
        }

        @Override
        public void sumSeveral(Runs runs, float[] x, int n) {
            SmallGemm.f32(runs, x, n);
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
        public void addRun(Runs runs, int tile, int k) {
            runs.add(data, Halfword.at(tile, k, cols), k);
        }

        @Override
        public void sum(Runs runs, float[] x, int n) {
            Gemv.bf16(runs, x, n);
        }

        @Override
        public void sumSeveral(Runs runs, float[] x, int n) {
            SmallGemm.bf16(runs, x, n);
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
        public void addRun(Runs runs, int tile, int k) {
            runs.add(data, Halfword.at(tile, k, cols), k);
        }

        @Override
        public void sum(Runs runs, float[] x, int n) {
            Gemv.f16(runs, x, n);
        }

        @Override
        public void sumSeveral(Runs runs, float[] x, int n) {
            SmallGemm.f16(runs, x, n);
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
        public boolean isStoredAs(PackedMatrix other) {
            return other instanceof Int4 int4 && int4.group == group;
        }

        long nibblesAt(int tile) {
            return (long) tile * TilePacker.words(cols) * Tile.INT4_COLUMNS;
        }

        long scalesAt(int tile) {
            return Halfword.at(tile, 0, cols / group);
        }

        @Override
        public void addRun(Runs runs, int tile, int k) {
            runs.add(data, nibblesAt(tile), scales, scalesAt(tile), k);
        }

        @Override
        public void sum(Runs runs, float[] x, int n) {
            if (group % Tile.NIBBLES == 0) {
                Gemv.int4(runs, group, x, n);
            } else {
                Gemv.int4Narrow(runs, group, x, n);
            }
        }

        @Override
        public int mostTokens() {
            return 1; // what they take from memory is little beside the work of widening them
        }

        @Override
        public void sumSeveral(Runs runs, float[] x, int n) {
            throw new UnsupportedOperationException("int4 weights are widened for several tokens");
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
