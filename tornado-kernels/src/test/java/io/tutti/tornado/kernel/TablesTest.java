package io.tutti.tornado.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.numerics.Exp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;

class TablesTest {

    @ParameterizedTest
    @ValueSource(ints = {Tables.FULL, Tables.COMPACT})
    void everyHalfWidensToItsValue(int compact) {
        FloatArray tables = Tables.make(compact);
        for (int bits = 0; bits < 1 << 16; bits++) {
            int paired = bits << 16 | (bits ^ 0xFFFF);
            float f16 = Float.float16ToFloat((short) bits);
            float bf16 = Float.intBitsToFloat(bits << 16);
            assertThat(Float.floatToIntBits(Widen.half(tables, Tables.F16, compact, paired, 16)))
                    .as("f16 %04x", bits)
                    .isEqualTo(Float.floatToIntBits(f16));
            assertThat(Float.floatToIntBits(Widen.half(tables, Tables.BF16, compact, paired, 16)))
                    .as("bf16 %04x", bits)
                    .isEqualTo(Float.floatToIntBits(bf16));
            assertThat(Float.floatToIntBits(Widen.half(tables, Tables.F16, compact, paired ^ -1, 0)))
                    .as("f16 %04x, the lower half", bits)
                    .isEqualTo(Float.floatToIntBits(f16));
        }
    }

    @Test
    void powersAreThoseOfTwo() {
        FloatArray tables = Tables.make(Tables.COMPACT);
        for (int n = Float.MIN_EXPONENT; n <= Float.MAX_EXPONENT; n++) {
            assertThat(tables.get(Tables.power(n))).isEqualTo((float) Math.pow(2, n));
        }
    }

    @Test
    void expHasTheReferencesConstants() {
        assertThat(new float[] {
                    Exponential.LOWEST,
                    Exponential.HIGHEST,
                    Exponential.LOG2_E,
                    Exponential.ROUND,
                    Exponential.MINUS_LN2_HIGH,
                    Exponential.MINUS_LN2_LOW,
                    Exponential.C2,
                    Exponential.C3,
                    Exponential.C4,
                    Exponential.C5,
                    Exponential.C6,
                    Exponential.C7
                })
                .containsExactly(
                        Exp.LOWEST,
                        Exp.HIGHEST,
                        Exp.LOG2_E,
                        Exp.ROUND,
                        Exp.MINUS_LN2_HIGH,
                        Exp.MINUS_LN2_LOW,
                        Exp.C2,
                        Exp.C3,
                        Exp.C4,
                        Exp.C5,
                        Exp.C6,
                        Exp.C7);
    }
}
