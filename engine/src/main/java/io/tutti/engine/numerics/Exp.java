package io.tutti.engine.numerics;

/** The constants of the f32 exponential: reduction by powers of two, then a polynomial of degree seven. */
public final class Exp {

    /** Below this the result is zero, so that no result is subnormal. */
    public static final float LOWEST = -87f;
    /** Above this the result is that of this argument. */
    public static final float HIGHEST = 88f;

    public static final float LOG2_E = Float.intBitsToFloat(0x3FB8AA3B);
    /** 1.5 * 2^23: adding it rounds to an integer, which then sits in the low bits. */
    public static final float ROUND = Float.intBitsToFloat(0x4B400000);

    public static final float MINUS_LN2_HIGH = Float.intBitsToFloat(0xBF318000);
    public static final float MINUS_LN2_LOW = Float.intBitsToFloat(0x395E8083);

    /** Coefficients of the powers 2 to 7; those of 0 and 1 are one. */
    public static final float C2 = Float.intBitsToFloat(0x3F000000);

    public static final float C3 = Float.intBitsToFloat(0x3E2AAAAA);
    public static final float C4 = Float.intBitsToFloat(0x3D2AA9C1);
    public static final float C5 = Float.intBitsToFloat(0x3C088908);
    public static final float C6 = Float.intBitsToFloat(0x3AB743CE);
    public static final float C7 = Float.intBitsToFloat(0x39506967);

    private Exp() {}
}
