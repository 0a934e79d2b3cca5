package io.tutti.engine.host.kernel;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.XOR;

import io.tutti.engine.layout.Tile;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Two tiles of int4 weights times a lone row of int8 activations. A run's integer dot fits 16 bits, so it is summed in lanes of
 * that width, where each half of a word has its own, and where sums that wrap around come out right. Two tiles share the row's
 * numbers, and ask for memory in two places at once.
 */
public final class Int8Gemv {

    private static final VectorSpecies<Float> F = Lanes.FLOATS;
    private static final VectorSpecies<Integer> I = Lanes.INTS;
    private static final int LANES = F.length();

    /** Nibbles with eight added: none is negative. */
    private static final int BIAS = 0x88888888;

    private Int8Gemv() {}

    /**
     * Adds a segment's products to {@code y}, {@code [2, 32]} from {@code yAt} on.
     *
     * @param w a tile's nibbles, from byte {@code at} on; the other's are in {@code otherW} from {@code otherAt} on
     * @param s a tile's scales, from byte {@code sAt} on; likewise
     * @param multipliers of the row, with {@code starts} and {@code scales}, see {@link Int8Rows#multipliers}
     */
    public static void segment(
            MemorySegment w,
            long at,
            MemorySegment s,
            long sAt,
            MemorySegment otherW,
            long otherAt,
            MemorySegment otherS,
            long otherSAt,
            ScaleRuns runs,
            int segment,
            int[] multipliers,
            int[] starts,
            float[] scales,
            float[] y,
            int yAt) {
        int end = runs.firstOf(segment + 1);
        for (int row = 0; row < Tile.HALF; row += LANES) {
            FloatVector sumA = FloatVector.zero(F); // rows from row on, and below from row + HALF on
            FloatVector sumB = sumA;
            FloatVector sumC = sumA; // the same of the other tile
            FloatVector sumD = sumA;
            for (int run = runs.firstOf(segment); run < end; run++) {
                long word = runs.firstWord(run) * (long) Tile.INT4_COLUMNS + row * (long) Integer.BYTES;
                int m = runs.firstEntry(run) * Int8Rows.PAIRS;
                int words = runs.firstEntry(run + 1) - runs.firstEntry(run);
                ShortVector a = IntVector.broadcast(I, starts[run]).reinterpretAsShorts();
                ShortVector b = a;
                ShortVector c = a;
                ShortVector d = a;
                for (int i = 0; i < words; i++) {
                    long p = word + i * (long) Tile.INT4_COLUMNS;
                    IntVector t =
                            IntVector.fromMemorySegment(I, w, at + p, Tile.LE).lanewise(XOR, BIAS);
                    IntVector u = IntVector.fromMemorySegment(I, w, at + p + Tile.HALF_COLUMN, Tile.LE)
                            .lanewise(XOR, BIAS);
                    IntVector v = IntVector.fromMemorySegment(I, otherW, otherAt + p, Tile.LE)
                            .lanewise(XOR, BIAS);
                    IntVector z = IntVector.fromMemorySegment(I, otherW, otherAt + p + Tile.HALF_COLUMN, Tile.LE)
                            .lanewise(XOR, BIAS);
                    int k = m + i * Int8Rows.PAIRS;
                    ShortVector x = IntVector.broadcast(I, multipliers[k]).reinterpretAsShorts();
                    a = a.add(t.reinterpretAsShorts().mul(x));
                    b = b.add(u.reinterpretAsShorts().mul(x));
                    c = c.add(v.reinterpretAsShorts().mul(x));
                    d = d.add(z.reinterpretAsShorts().mul(x));
                    x = IntVector.broadcast(I, multipliers[k + 1]).reinterpretAsShorts();
                    a = a.add(t.lanewise(LSHR, 4).reinterpretAsShorts().mul(x));
                    b = b.add(u.lanewise(LSHR, 4).reinterpretAsShorts().mul(x));
                    c = c.add(v.lanewise(LSHR, 4).reinterpretAsShorts().mul(x));
                    d = d.add(z.lanewise(LSHR, 4).reinterpretAsShorts().mul(x));
                    x = IntVector.broadcast(I, multipliers[k + 2]).reinterpretAsShorts();
                    a = a.add(t.lanewise(LSHR, 8).reinterpretAsShorts().mul(x));
                    b = b.add(u.lanewise(LSHR, 8).reinterpretAsShorts().mul(x));
                    c = c.add(v.lanewise(LSHR, 8).reinterpretAsShorts().mul(x));
                    d = d.add(z.lanewise(LSHR, 8).reinterpretAsShorts().mul(x));
                    x = IntVector.broadcast(I, multipliers[k + 3]).reinterpretAsShorts();
                    a = a.add(t.lanewise(LSHR, 12).reinterpretAsShorts().mul(x));
                    b = b.add(u.lanewise(LSHR, 12).reinterpretAsShorts().mul(x));
                    c = c.add(v.lanewise(LSHR, 12).reinterpretAsShorts().mul(x));
                    d = d.add(z.lanewise(LSHR, 12).reinterpretAsShorts().mul(x));
                }
                // The upper halves of the lanes become the sums of both halves.
                IntVector dotA = a.reinterpretAsInts();
                IntVector dotB = b.reinterpretAsInts();
                IntVector dotC = c.reinterpretAsInts();
                IntVector dotD = d.reinterpretAsInts();
                dotA = dotA.lanewise(LSHL, 16).add(dotA).lanewise(ASHR, 16);
                dotB = dotB.lanewise(LSHL, 16).add(dotB).lanewise(ASHR, 16);
                dotC = dotC.lanewise(LSHL, 16).add(dotC).lanewise(ASHR, 16);
                dotD = dotD.lanewise(LSHL, 16).add(dotD).lanewise(ASHR, 16);
                long q = runs.group(run) * (long) Tile.HALF_COLUMN + row * (long) Integer.BYTES;
                IntVector pair = IntVector.fromMemorySegment(I, s, sAt + q, Tile.LE);
                IntVector otherPair = IntVector.fromMemorySegment(I, otherS, otherSAt + q, Tile.LE);
                float scale = scales[run];
                sumA = ((FloatVector) dotA.convert(VectorOperators.I2F, 0))
                        .fma(
                                pair.lanewise(LSHL, 16)
                                        .lanewise(ASHR, 3)
                                        .and(Tile.F16_FIELDS)
                                        .reinterpretAsFloats()
                                        .mul(Tile.F16_REBIAS)
                                        .mul(scale),
                                sumA);
                sumB = ((FloatVector) dotB.convert(VectorOperators.I2F, 0))
                        .fma(
                                pair.lanewise(ASHR, 3)
                                        .and(Tile.F16_FIELDS)
                                        .reinterpretAsFloats()
                                        .mul(Tile.F16_REBIAS)
                                        .mul(scale),
                                sumB);
                sumC = ((FloatVector) dotC.convert(VectorOperators.I2F, 0))
                        .fma(
                                otherPair
                                        .lanewise(LSHL, 16)
                                        .lanewise(ASHR, 3)
                                        .and(Tile.F16_FIELDS)
                                        .reinterpretAsFloats()
                                        .mul(Tile.F16_REBIAS)
                                        .mul(scale),
                                sumC);
                sumD = ((FloatVector) dotD.convert(VectorOperators.I2F, 0))
                        .fma(
                                otherPair
                                        .lanewise(ASHR, 3)
                                        .and(Tile.F16_FIELDS)
                                        .reinterpretAsFloats()
                                        .mul(Tile.F16_REBIAS)
                                        .mul(scale),
                                sumD);
            }
            int to = yAt + row;
            FloatVector.fromArray(F, y, to).add(sumA).intoArray(y, to);
            to += Tile.HALF;
            FloatVector.fromArray(F, y, to).add(sumB).intoArray(y, to);
            to += Tile.HALF;
            FloatVector.fromArray(F, y, to).add(sumC).intoArray(y, to);
            to += Tile.HALF;
            FloatVector.fromArray(F, y, to).add(sumD).intoArray(y, to);
        }
    }
}
