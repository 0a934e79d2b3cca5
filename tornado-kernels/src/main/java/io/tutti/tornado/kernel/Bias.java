package io.tutti.tornado.kernel;

import uk.ac.manchester.tornado.api.types.arrays.FloatArray;

/**
 * The bias of a linear layer: one plain addition, after the product's total and before whatever takes the product. Biases
 * have room for whole tiles, {@code [layers][tiles][32]}.
 */
public final class Bias {

    /** The place of a bias that is not there. */
    public static final int NONE = -1;

    private Bias() {}

    /** Numbers from a layer's biases to the next layer's. */
    public static int stride(int rows) {
        return Tiles.count(rows) * Tiles.ROWS;
    }

    /**
     * Where a tile's biases begin, or {@link #NONE}.
     *
     * @param at where the first layer's begin, or {@link #NONE}
     * @param tile counted from the first layer's first
     */
    static int of(int at, int tile) {
        return at == NONE ? NONE : at + tile * Tiles.ROWS;
    }

    /**
     * A row's total and its bias.
     *
     * @param at where its tile's biases begin, or {@link #NONE}
     * @param row of the tile
     */
    static float added(float total, FloatArray values, int at, int row) {
        return at == NONE ? total : total + values.get(at + row);
    }
}
