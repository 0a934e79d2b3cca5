package io.tutti.engine.host.kernel;

import static jdk.incubator.vector.VectorOperators.MAX;

import io.tutti.engine.reference.Int8Activations;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Rows of activations in int8. A lone row becomes multipliers for {@link Int8Gemv}, {@code [entries][4]} ints, columns i and
 * i + 4 of a word in one as they are in the word; and for each run a start and a scale.
 */
public final class Int8Rows {

    /** Ints in an entry. */
    public static final int PAIRS = Tile.NIBBLES / 2;

    private static final VectorSpecies<Float> F = Lanes.FLOATS;
    private static final VectorSpecies<Integer> I = Lanes.INTS;
    private static final int LANES = F.length();

    private static final int MAGNITUDE = 0x7FFF_FFFF;
    private static final int LOW_HALF = 0xFFFF;

    /** 1.5 * 2^23: adding it rounds to an integer, halves to even, which then sits in the low bits. */
    private static final float ROUND = 0x1.8p23f;

    private static final int ROUND_BITS = Float.floatToRawIntBits(ROUND);

    private Int8Rows() {}

    /** Numbers in {@code q} of so many columns: whole words, padded with zeros. */
    public static int words(int cols) {
        return (cols + Tile.NIBBLES - 1) / Tile.NIBBLES * Tile.NIBBLES;
    }

    /**
     * Quantizes a row that begins at {@code x[at]}.
     *
     * @param q receives {@code [words(cols)]}
     * @param scales receives those of the row's blocks of {@value Int8Activations#BLOCK} columns
     */
    public static void quantize(float[] x, int at, int cols, int[] q, float[] scales) {
        int whole = cols / Int8Activations.BLOCK * Int8Activations.BLOCK;
        for (int from = 0; from < whole; from += Int8Activations.BLOCK) {
            IntVector largest = IntVector.zero(I);
            for (int k = from; k < from + Int8Activations.BLOCK; k += LANES) {
                largest = largest.max(
                        FloatVector.fromArray(F, x, at + k).reinterpretAsInts().and(MAGNITUDE));
            }
            float scale = Int8Activations.scale(largest.reduceLanes(MAX));
            scales[from / Int8Activations.BLOCK] = scale;
            if (!(scale > 0)) {
                Arrays.fill(q, from, from + Int8Activations.BLOCK, 0);
                continue;
            }
            for (int k = from; k < from + Int8Activations.BLOCK; k += LANES) {
                FloatVector.fromArray(F, x, at + k)
                        .div(scale)
                        .add(ROUND)
                        .reinterpretAsInts()
                        .sub(ROUND_BITS)
                        .max(-Int8Activations.LARGEST)
                        .min(Int8Activations.LARGEST)
                        .intoArray(q, k);
            }
        }
        if (whole < cols) {
            byte[] rest = new byte[cols - whole];
            float[] scale = new float[1];
            Int8Activations.quantize(x, at + whole, rest.length, rest, scale);
            scales[whole / Int8Activations.BLOCK] = scale[0];
            for (int k = whole; k < words(cols); k++) {
                q[k] = k < cols ? rest[k - whole] : 0;
            }
        }
    }

    /**
     * A lone row's multipliers. {@link Int8Gemv} does not mask a word's nibbles, it only shifts them: what it multiplies with
     * column i's holds column i - 1's sixteenfold less, so that in 16 bits all but the nibbles themselves cancel out. They are
     * the weights plus eight, which the starts take back.
     *
     * @param q as {@link #quantize} leaves it
     * @param scales likewise
     * @param multipliers receives {@code [entries][4]}
     * @param starts receives {@code [runs]}
     * @param runScales receives {@code [runs]}
     */
    public static void multipliers(
            ScaleRuns runs, int[] q, float[] scales, int[] multipliers, int[] starts, float[] runScales) {
        for (int r = 0; r < runs.count(); r++) {
            int from = runs.start(r);
            int to = runs.start(r + 1);
            runScales[r] = scales[from / Int8Activations.BLOCK];
            int sum = 0;
            for (int k = from; k < to; k++) {
                sum += q[k];
            }
            starts[r] = (-8 * sum) & LOW_HALF;
            int k = runs.firstWord(r) * Tile.NIBBLES;
            for (int e = runs.firstEntry(r); e < runs.firstEntry(r + 1); e++, k += Tile.NIBBLES) {
                boolean whole = from <= k && k + Tile.NIBBLES <= to;
                int before = 0;
                for (int i = 0; i < PAIRS; i++) {
                    int low = whole ? q[k + i] : within(q, k + i, from, to);
                    multipliers[e * PAIRS + i] = (low - 16 * before) & LOW_HALF;
                    before = low;
                }
                for (int i = 0; i < PAIRS; i++) {
                    int high = whole ? q[k + PAIRS + i] : within(q, k + PAIRS + i, from, to);
                    multipliers[e * PAIRS + i] |= (high - 16 * before) << 16;
                    before = high;
                }
            }
        }
    }

    private static int within(int[] q, int k, int from, int to) {
        return from <= k && k < to ? q[k] : 0;
    }
}
