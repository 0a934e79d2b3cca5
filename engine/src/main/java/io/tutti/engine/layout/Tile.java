package io.tutti.engine.layout;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * How weights lie in memory. A matrix {@code [rows, cols]} is cut into tiles of {@value #ROWS} rows, the last one padded
 * with zero rows; a tile is
 *
 * <ul>
 *   <li>f32: {@code [cols][32]} floats;
 *   <li>f16 and bf16: {@code [cols][16]} ints, int i holding row i in its low and row i + 16 in its high half, so that
 *       either half of an int vector widens to consecutive rows by a shift or a mask;
 *   <li>int4: {@code [ceil(cols / 8)][32]} ints, row r's eight columns from the low nibble up, two's complement; and scales
 *       {@code [cols / group][16]} ints of f16 pairs as above.
 * </ul>
 */
public final class Tile {

    /** Rows in a tile. */
    public static final int ROWS = 32;

    /** Int columns in the 16-bit layouts: the row that shares an int with row i is row i + HALF. */
    public static final int HALF = ROWS / 2;

    /** Bytes that a column of a tile takes as f32. */
    public static final int F32_COLUMN = ROWS * Float.BYTES;

    /** Bytes that a column of a tile takes as f16 or bf16; also those of one group's scales. */
    public static final int HALF_COLUMN = HALF * Integer.BYTES;

    /** Columns that share an int in the int4 layout. */
    public static final int NIBBLES = 8;

    /** Bytes that {@value #NIBBLES} columns of a tile take as int4. */
    public static final int INT4_COLUMNS = ROWS * Integer.BYTES;

    public static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;

    /** How ints and floats of a tile are stored, on every machine. */
    public static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(LE);

    public static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT.withOrder(LE);

    /** The exponent of an f16, read as an f32's, is this much too small. */
    public static final float F16_REBIAS = 0x1p112f;

    /** The bits of an f32 that an f16's sign, exponent and fraction are moved to. */
    public static final int F16_FIELDS = 0x8FFFE000;

    /** The bits of a bf16 in the upper half of an int, which are its f32's. */
    public static final int HIGH_HALF = 0xFFFF0000;

    /** The fraction's upper four bits in an f32, to which an int4 column is moved. */
    public static final int NIBBLE = 0x00780000;

    /** With a two's complement nibble in those bits, this makes an f32 of {@code 1 + (q + 8) / 16}. */
    public static final int NIBBLE_BIAS = 0x3FC00000;

    private Tile() {}
}
