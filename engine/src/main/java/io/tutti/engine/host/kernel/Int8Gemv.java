package io.tutti.engine.host.kernel;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.XOR;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * One tile of int4 weights times a lone row of int8 activations. A run's integer dot fits 16 bits, so it is summed in lanes of
 * that width, where each half of a word has its own, and where sums that wrap around come out right.
 */
public final class Int8Gemv {

    private static final VectorSpecies<Float> F = Lanes.FLOATS;
    private static final VectorSpecies<Integer> I = Lanes.INTS;
    private static final int LANES = F.length();

    /** Nibbles with eight added: none is negative. */
    private static final int BIAS = 0x88888888;

    private Int8Gemv() {}

    /**
     * Adds a segment's product to {@code y}, {@code [32]} from {@code yAt} on.
     *
     * @param w the tile's nibbles, from byte {@code at} on
     * @param s the tile's scales, from byte {@code sAt} on
     * @param multipliers of the row, with {@code starts} and {@code scales}, see {@link Int8Rows#multipliers}
     */
    public static void segment(
            MemorySegment w,
            long at,
            MemorySegment s,
            long sAt,
            ScaleRuns runs,
            int segment,
            int[] multipliers,
            int[] starts,
            float[] scales,
            float[] y,
            int yAt) {
        int end = runs.firstOf(segment + 1);
        for (int row = 0; row < Tile.HALF; row += LANES) {
            FloatVector sum = FloatVector.zero(F);
            FloatVector nextSum = sum; // of the rows HALF below
            for (int run = runs.firstOf(segment); run < end; run++) {
                long p = at + runs.firstWord(run) * (long) Tile.INT4_COLUMNS + row * (long) Integer.BYTES;
                int m = runs.firstEntry(run) * Int8Rows.PAIRS;
                int words = runs.firstEntry(run + 1) - runs.firstEntry(run);
                ShortVector a = IntVector.broadcast(I, starts[run]).reinterpretAsShorts();
                ShortVector b = a;
                for (int i = 0; i < words; i++) {
                    long word = p + i * (long) Tile.INT4_COLUMNS;
                    IntVector u =
                            IntVector.fromMemorySegment(I, w, word, Tile.LE).lanewise(XOR, BIAS);
                    IntVector v = IntVector.fromMemorySegment(I, w, word + Tile.HALF_COLUMN, Tile.LE)
                            .lanewise(XOR, BIAS);
                    int k = m + i * Int8Rows.PAIRS;
                    ShortVector x = IntVector.broadcast(I, multipliers[k]).reinterpretAsShorts();
                    a = a.add(u.reinterpretAsShorts().mul(x));
                    b = b.add(v.reinterpretAsShorts().mul(x));
                    x = IntVector.broadcast(I, multipliers[k + 1]).reinterpretAsShorts();
                    a = a.add(u.lanewise(LSHR, 4).reinterpretAsShorts().mul(x));
                    b = b.add(v.lanewise(LSHR, 4).reinterpretAsShorts().mul(x));
                    x = IntVector.broadcast(I, multipliers[k + 2]).reinterpretAsShorts();
                    a = a.add(u.lanewise(LSHR, 8).reinterpretAsShorts().mul(x));
                    b = b.add(v.lanewise(LSHR, 8).reinterpretAsShorts().mul(x));
                    x = IntVector.broadcast(I, multipliers[k + 3]).reinterpretAsShorts();
                    a = a.add(u.lanewise(LSHR, 12).reinterpretAsShorts().mul(x));
                    b = b.add(v.lanewise(LSHR, 12).reinterpretAsShorts().mul(x));
                }
                IntVector pair = IntVector.fromMemorySegment(
                        I, s, sAt + row * (long) Integer.BYTES + runs.group(run) * (long) Tile.HALF_COLUMN, Tile.LE);
                float scale = scales[run];
                FloatVector low = pair.lanewise(LSHL, 16)
                        .lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .mul(scale);
                FloatVector high = pair.lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS)
                        .mul(scale);
                // The upper halves of the lanes become the sums of both halves.
                IntVector d = a.reinterpretAsInts();
                sum = ((FloatVector)
                                d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(low, sum);
                d = b.reinterpretAsInts();
                nextSum = ((FloatVector)
                                d.lanewise(LSHL, 16).add(d).lanewise(ASHR, 16).convert(VectorOperators.I2F, 0))
                        .fma(high, nextSum);
            }
            FloatVector.fromArray(F, y, yAt + row).add(sum).intoArray(y, yAt + row);
            int next = yAt + row + Tile.HALF;
            FloatVector.fromArray(F, y, next).add(nextSum).intoArray(y, next);
        }
    }
}
