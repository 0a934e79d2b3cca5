package io.tutti.engine.layout;

/**
 * Rows of stored weights put into the columns of a {@link Tile}, and looked through for values that are not finite: those
 * are the ones whose exponent, the bits of {@code infinity}, is all ones, so that adding its lowest bit carries out of it.
 */
public final class Scatter {

    private Scatter() {}

    /**
     * Puts {@code n} words, eight columns of int4 each or the bits of an f32, into ints of {@code block} from
     * {@code at} on, {@value Tile#ROWS} apart.
     *
     * @param infinity an f32's, or 0 where there is none
     * @return negative if a value is not finite
     */
    public static int words(int[] row, int n, int infinity, int[] block, int at) {
        int lowest = Integer.lowestOneBit(infinity);
        int carries = 0;
        for (int k = 0; k < n; k++) {
            carries |= (row[k] & infinity) + lowest;
            block[k * Tile.ROWS + at] = row[k];
        }
        return carries;
    }

    /**
     * Puts {@code n} halves of two rows into ints of {@code block} from {@code at} on, {@value Tile#HALF} apart.
     *
     * @param low the row that takes the ints' low halves
     * @param infinity an f16's or a bf16's
     * @return with bit 15 set if a value is not finite
     */
    public static int pairs(short[] low, short[] high, int n, int infinity, int[] block, int at) {
        int lowest = Integer.lowestOneBit(infinity);
        int carries = 0;
        for (int k = 0; k < n; k++) {
            int lower = low[k];
            int upper = high[k];
            carries |= ((lower & infinity) + lowest) | ((upper & infinity) + lowest);
            block[k * Tile.HALF + at] = (lower & 0xFFFF) | (upper << Short.SIZE);
        }
        return carries;
    }
}
