package io.tutti.engine.host.kernel;

import static jdk.incubator.vector.VectorOperators.MAX;

import io.tutti.engine.layout.Tile;
import io.tutti.engine.numerics.Int8Activations;
import io.tutti.engine.numerics.Numerics;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Rows of activations as the kernels for int8 take them. Columns i and i + 4 of a word share an int, as they do in the word.
 *
 * <p>A lone row becomes multipliers for {@link Int8Gemv}: {@code [entries][4]} ints; and for each run a start and a scale. Several
 * rows are packed for {@link Int8Gemm} in blocks of {@value #BLOCK} and at the end perhaps of {@value #SMALL} tokens, side by
 * side: {@code [segments][blocks][entries of the segment][4][tokens of the block]} ints, and {@code [segments][blocks][runs of
 * the segment][tokens of the block]} scales, which the kernel reads from end to end.
 */
public final class Int8Rows {

    /** Tokens of a block. */
    static final int BLOCK = 8;

    /** Tokens of a small block. */
    static final int SMALL = 4;

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

    /** Rows that so many tokens take when they are packed: whole blocks, the last of which may be a small one. */
    public static int padded(int tokens) {
        return (tokens + SMALL - 1) / SMALL * SMALL;
    }

    /** Blocks that so many tokens make. */
    public static int blocks(int tokens) {
        return (padded(tokens) + BLOCK - 1) / BLOCK;
    }

    /** Numbers in {@code q} of so many columns: whole words, padded with zeros. */
    public static int words(int cols) {
        return (cols + Tile.NIBBLES - 1) / Tile.NIBBLES * Tile.NIBBLES;
    }

    /**
     * Quantizes {@code cols} numbers that begin at {@code x[at]}: a row, or a segment of one.
     *
     * @param q receives {@code [words(cols)]}
     * @param scales receives those of the blocks of {@value Int8Activations#BLOCK} columns
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

    /**
     * Quantizes and packs one block.
     *
     * @param x activations, {@code [tokens, cols]}
     * @param q room for a segment of a row, 256 ints
     * @param scales room for the scales of one, 8 numbers
     * @param rows room for a segment of all rows, {@link #segmentOfBlock} ints
     * @param pairs room for {@code padded(tokens) * entries * 4} ints
     * @param runScales room for {@code padded(tokens) * runs} numbers
     */
    public static void pack(
            float[] x,
            int tokens,
            ScaleRuns runs,
            int block,
            int[] q,
            float[] scales,
            int[] rows,
            int[] pairs,
            float[] runScales) {
        int first = first(block);
        int size = size(block, tokens);
        for (int s = 0; s < runs.segments(); s++) {
            int column = s * Numerics.SEGMENT;
            int n = Math.min(Numerics.SEGMENT, runs.cols() - column);
            int width = width(runs, s);
            for (int t = 0; t < size; t++) {
                if (first + t < tokens) {
                    quantize(x, (first + t) * runs.cols() + column, n, q, scales);
                } else {
                    Arrays.fill(q, 0, words(n), 0);
                    Arrays.fill(scales, 0, Int8Activations.blocks(n), 0f);
                }
                pairs(runs, s, q, rows, t * width);
                int to = scalesAt(runs, s, first, tokens) + t;
                for (int r = runs.firstOf(s); r < runs.firstOf(s + 1); r++, to += size) {
                    runScales[to] = scales[(runs.start(r) - column) / Int8Activations.BLOCK];
                }
            }
            int to = pairsAt(runs, s, first, tokens);
            for (int t = 0; t < size; t += SMALL) {
                int from = t * width;
                for (int k = 0; k < width; k++) {
                    pairs[to + k * size + t] = rows[from + k];
                    pairs[to + k * size + t + 1] = rows[from + width + k];
                    pairs[to + k * size + t + 2] = rows[from + 2 * width + k];
                    pairs[to + k * size + t + 3] = rows[from + 3 * width + k];
                }
            }
        }
    }

    /** The pairs of a row's segment, {@code [entries][4]}, to {@code pairs} from {@code at} on. */
    private static void pairs(ScaleRuns runs, int segment, int[] q, int[] pairs, int at) {
        int column = segment * Numerics.SEGMENT;
        int to = at;
        for (int r = runs.firstOf(segment); r < runs.firstOf(segment + 1); r++) {
            int start = runs.start(r) - column;
            int end = runs.start(r + 1) - column;
            int k = runs.firstWord(r) * Tile.NIBBLES - column;
            for (int e = runs.firstEntry(r); e < runs.firstEntry(r + 1); e++, k += Tile.NIBBLES, to += PAIRS) {
                boolean whole = start <= k && k + Tile.NIBBLES <= end;
                for (int i = 0; i < PAIRS; i++) {
                    int low = whole ? q[k + i] : within(q, k + i, start, end);
                    int high = whole ? q[k + PAIRS + i] : within(q, k + PAIRS + i, start, end);
                    pairs[to + i] = (low & LOW_HALF) | (high << 16);
                }
            }
        }
    }

    /** Ints of pairs that a segment of a row takes. */
    private static int width(ScaleRuns runs, int segment) {
        return (runs.firstEntry(runs.firstOf(segment + 1)) - runs.firstEntry(runs.firstOf(segment))) * PAIRS;
    }

    /** Ints that a segment of a block's rows takes, before they are packed. */
    public static int segmentOfBlock(ScaleRuns runs) {
        int widest = 0;
        for (int s = 0; s < runs.segments(); s++) {
            widest = Math.max(widest, width(runs, s));
        }
        return BLOCK * widest;
    }

    /** Where the pairs of a segment and a block begin that starts with token {@code first}. */
    static int pairsAt(ScaleRuns runs, int segment, int first, int tokens) {
        int begin = runs.firstEntry(runs.firstOf(segment));
        return begin * PAIRS * padded(tokens) + width(runs, segment) * first;
    }

    /** Where the scales of a segment and a block begin that starts with token {@code first}. */
    static int scalesAt(ScaleRuns runs, int segment, int first, int tokens) {
        int begin = runs.firstOf(segment);
        return begin * padded(tokens) + (runs.firstOf(segment + 1) - begin) * first;
    }

    /** The first token of a block of so many tokens. */
    static int first(int block) {
        return block * BLOCK;
    }

    /** Tokens of a block. */
    static int size(int block, int tokens) {
        return Math.min(BLOCK, padded(tokens) - block * BLOCK);
    }
}
