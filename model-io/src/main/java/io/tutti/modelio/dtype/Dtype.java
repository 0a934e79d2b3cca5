package io.tutti.modelio.dtype;

import java.util.Optional;

/** The element types that a safetensors header may name. Only {@link #F32}, {@link #F16} and {@link #BF16} hold weights. */
public enum Dtype {
    F32(32),
    F16(16),
    BF16(16),
    U8(8),
    BOOL(8),
    I8(8),
    I16(16),
    U16(16),
    I32(32),
    U32(32),
    I64(64),
    U64(64),
    F64(64),
    C64(64),
    F8_E4M3(8),
    F8_E5M2(8),
    F8_E8M0(8),
    F8_E4M3FNUZ(8),
    F8_E5M2FNUZ(8),
    F6_E2M3(6),
    F6_E3M2(6),
    F4(4);

    private final int bits;

    Dtype(int bits) {
        this.bits = bits;
    }

    /** Bits an element takes in a file. */
    public int bits() {
        return bits;
    }

    /** Bytes an element takes; only for types of whole bytes. */
    public int bytes() {
        if (bits % 8 != 0) {
            throw new IllegalStateException(this + " is not a whole number of bytes");
        }
        return bits / 8;
    }

    /** Whether weights may be stored so: F32, F16 or BF16, each widened to f32 without a change of value. */
    public boolean isWeight() {
        return this == F32 || this == F16 || this == BF16;
    }

    /** The type that a safetensors header calls {@code name}, if it is known. */
    public static Optional<Dtype> named(String name) {
        for (Dtype dtype : values()) {
            if (dtype.name().equals(name)) {
                return Optional.of(dtype);
            }
        }
        return Optional.empty();
    }
}
