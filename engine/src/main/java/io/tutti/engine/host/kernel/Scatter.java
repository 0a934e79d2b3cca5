package io.tutti.engine.host.kernel;

import io.tutti.modelio.weights.Floats;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Rows of stored weights put into the columns of a {@link Tile}, and looked through for values that are not finite: those
 * are the ones whose exponent, the bits of {@code infinity}, is all ones, so that adding its lowest bit carries out of it.
 */
public final class Scatter {

    /** Eight columns of int4, or the bits of an f32. */
    private static final ValueLayout.OfInt WORD = ValueLayout.JAVA_INT_UNALIGNED.withOrder(Tile.LE);

    private Scatter() {}

    /**
     * Puts {@code n} words into every {@value Tile#ROWS}th int of {@code block} from {@code at} on.
     *
     * @param from the first word's byte in {@code data}
     * @param infinity an f32's, or 0 where there is none
     * @return negative if a value is not finite
     */
    public static int words(MemorySegment data, long from, int n, int infinity, int[] block, int at) {
        int lowest = Integer.lowestOneBit(infinity);
        int carries = 0;
        for (int k = 0; k < n; k++) {
            int bits = data.get(WORD, from + (long) k * Integer.BYTES);
            carries |= (bits & infinity) + lowest;
            block[k * Tile.ROWS + at] = bits;
        }
        return carries;
    }

    /**
     * Puts {@code n} halves of two rows into every {@value Tile#HALF}th int of {@code block} from {@code at} on.
     *
     * @param low the first byte in {@code data} of the row that takes the ints' low halves
     * @param infinity an f16's or a bf16's
     * @return with bit 15 set if a value is not finite
     */
    public static int pairs(MemorySegment data, long low, long high, int n, int infinity, int[] block, int at) {
        int lowest = Integer.lowestOneBit(infinity);
        int carries = 0;
        for (int k = 0; k < n; k++) {
            int lower = data.get(Floats.HALF, low + (long) k * Short.BYTES);
            int upper = data.get(Floats.HALF, high + (long) k * Short.BYTES);
            carries |= ((lower & infinity) + lowest) | ((upper & infinity) + lowest);
            block[k * Tile.HALF + at] = (lower & 0xFFFF) | (upper << Short.SIZE);
        }
        return carries;
    }

    /** {@link #pairs} for a row that has no other. */
    public static int halves(MemorySegment data, long from, int n, int infinity, int[] block, int at) {
        int lowest = Integer.lowestOneBit(infinity);
        int carries = 0;
        for (int k = 0; k < n; k++) {
            int bits = data.get(Floats.HALF, from + (long) k * Short.BYTES);
            carries |= (bits & infinity) + lowest;
            block[k * Tile.HALF + at] = bits & 0xFFFF;
        }
        return carries;
    }
}
