package io.tutti.kv;

import java.lang.foreign.ValueLayout;

/** What one cached number is stored as: IEEE 754 binary16 or binary32. */
public enum KvDtype {
    F16(1, Short.BYTES),
    F32(2, Float.BYTES);

    private static final int F16_NAN = 0x7E00;
    private static final int F32_NAN = 0x7FC00000;

    private final int code;
    private final int bytes;

    KvDtype(int code, int bytes) {
        this.code = code;
        this.bytes = bytes;
    }

    /** Bytes of one number. */
    public int bytes() {
        return bytes;
    }

    /** The dtype's number in the envelope. */
    int code() {
        return code;
    }

    /** How a number's bits lie in the cache, at any address. */
    ValueLayout layout() {
        return switch (this) {
            case F16 -> ValueLayout.JAVA_SHORT_UNALIGNED;
            case F32 -> ValueLayout.JAVA_INT_UNALIGNED;
        };
    }

    /** The bits that the forward pass stores: the nearest number, ties to even, and every NaN as the same one. */
    public int toBits(float value) {
        return switch (this) {
            case F16 -> Float.isNaN(value) ? F16_NAN : Short.toUnsignedInt(Float.floatToFloat16(value));
            case F32 -> Float.isNaN(value) ? F32_NAN : Float.floatToRawIntBits(value);
        };
    }

    /** The number that bits stand for, exact; of an f16's only the low 16 count. */
    public float toFloat(int bits) {
        return switch (this) {
            case F16 -> Float.float16ToFloat((short) bits);
            case F32 -> Float.intBitsToFloat(bits);
        };
    }
}
