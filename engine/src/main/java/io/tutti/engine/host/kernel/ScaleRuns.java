package io.tutti.engine.host.kernel;

import io.tutti.engine.layout.Tile;
import io.tutti.engine.numerics.Int8Activations;
import io.tutti.engine.numerics.Numerics;
import java.util.ArrayList;
import java.util.List;

/**
 * How the columns of int4 weights fall into runs, whose products with int8 activations are summed as integers: a run begins
 * where the weight's or the row's scale changes, so each lies in one segment.
 *
 * <p>Weights are read a word of {@value Tile#NIBBLES} columns at a time. Where a group is no multiple of that, two runs may
 * share a word; each has an entry for it, and in that entry zeros for the other's columns.
 */
public final class ScaleRuns {

    private final int cols;
    private final int count;
    private final int[] starts;
    private final int[] groups;
    private final int[] segments;
    private final int[] firstWords;
    private final int[] firstEntries;

    /**
     * The runs of a matrix.
     *
     * @param group columns that share a scale of the weight's
     */
    public ScaleRuns(int cols, int group) {
        this.cols = cols;
        List<Integer> begins = new ArrayList<>();
        for (int k = 0; k < cols; k++) {
            if (k % group == 0 || k % Int8Activations.BLOCK == 0) {
                begins.add(k);
            }
        }
        count = begins.size();
        begins.add(cols);
        starts = begins.stream().mapToInt(Integer::intValue).toArray();
        segments = new int[(cols + Numerics.SEGMENT - 1) / Numerics.SEGMENT + 1];
        groups = new int[count];
        firstWords = new int[count];
        firstEntries = new int[count + 1];
        for (int r = 0; r < count; r++) {
            groups[r] = starts[r] / group;
            firstWords[r] = starts[r] / Tile.NIBBLES;
            int lastWord = (starts[r + 1] - 1) / Tile.NIBBLES;
            firstEntries[r + 1] = firstEntries[r] + lastWord - firstWords[r] + 1;
            segments[starts[r] / Numerics.SEGMENT + 1] = r + 1;
        }
    }

    /** Columns in all. */
    public int cols() {
        return cols;
    }

    /** Runs in all. */
    public int count() {
        return count;
    }

    /** Entries in all. */
    public int entries() {
        return firstEntries[count];
    }

    /** Segments in all. */
    public int segments() {
        return segments.length - 1;
    }

    /** The first run of a segment; of the one past the last, {@link #count}. */
    int firstOf(int segment) {
        return segments[segment];
    }

    /** The first column of a run; of the one past the last, {@link #cols}. */
    int start(int run) {
        return starts[run];
    }

    /** The group of a run's columns. */
    int group(int run) {
        return groups[run];
    }

    /** The word that a run's first entry is for; the others follow it. */
    int firstWord(int run) {
        return firstWords[run];
    }

    /** A run's first entry; of the run past the last, {@link #entries}. */
    int firstEntry(int run) {
        return firstEntries[run];
    }
}
