package io.tutti.engine.host.kernel;

import io.tutti.engine.layout.Tile;
import java.lang.foreign.MemorySegment;

/**
 * Up to four runs of columns of as many tiles or fewer, which {@link Gemv} and {@link SmallGemm} sum side by side. Where there
 * are fewer, the last one is summed again in the places that are left, out of the cache. A worker has one of these and fills
 * it again and again.
 */
public final class Runs {

    /** Runs that go side by side. */
    public static final int MOST = 4;

    final MemorySegment[] weights = new MemorySegment[MOST];
    final long[] at = new long[MOST];
    final MemorySegment[] scales = new MemorySegment[MOST];
    final long[] scalesAt = new long[MOST];
    final int[] xAt = new int[MOST];
    /** {@code [runs, tokens, 32]}. */
    final float[] sums = new float[MOST * SmallGemm.TOKENS * Tile.ROWS];

    int count;

    /** Forgets all runs. */
    public void clear() {
        count = 0;
    }

    /**
     * Adds a run of dense weights.
     *
     * @param w the matrix's tiles
     * @param wAt byte at which the run's first column lies
     * @param k that column's number
     */
    public void add(MemorySegment w, long wAt, int k) {
        add(w, wAt, w, 0, k);
    }

    /**
     * Adds a run of int4 weights.
     *
     * @param w the matrix's tiles
     * @param wAt byte at which the tile lies
     * @param s the matrix's scales
     * @param sAt byte at which the tile's lie
     * @param k the run's first column
     */
    public void add(MemorySegment w, long wAt, MemorySegment s, long sAt, int k) {
        for (int i = count; i < MOST; i++) {
            weights[i] = w;
            at[i] = wAt;
            scales[i] = s;
            scalesAt[i] = sAt;
            xAt[i] = k;
        }
        count++;
    }

    /** Runs that were added since {@link #clear}. */
    public int count() {
        return count;
    }

    /** Adds run {@code i}'s sums, {@code [tokens, 32]} and so {@code size} numbers, to {@code y} from {@code yAt} on. */
    public void addTo(int i, int size, float[] y, int yAt) {
        Elementwise.add(y, yAt, sums, i * size, size);
    }
}
