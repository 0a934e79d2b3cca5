package io.tutti.modelio.dtype;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.Random;
import org.junit.jupiter.api.Test;

class HalvesTest {
    private static final int PATTERNS = 1 << 16;

    @Test
    void f16RoundsToNearestEven() {
        assertThat(f16(1 + 0x1p-11f)).isEqualTo(0x3C00);
        assertThat(f16(1 + 3 * 0x1p-11f)).isEqualTo(0x3C02);
        assertThat(f16(Math.nextUp(1 + 0x1p-11f))).isEqualTo(0x3C01);
        assertThat(f16(0.2f)).isEqualTo(0x3266);
        assertThat(f16(65504)).isEqualTo(0x7BFF);
        assertThat(f16(Math.nextDown(65520f))).isEqualTo(0x7BFF);
        assertThat(f16(65520)).isEqualTo(0x7C00);
        assertThat(f16(Float.NEGATIVE_INFINITY)).isEqualTo(0xFC00);
        assertThat(f16(-Float.MAX_VALUE)).isEqualTo(0xFC00);
        assertThat(f16(0x1p-24f)).isEqualTo(0x0001);
        assertThat(f16(0x1p-25f)).isEqualTo(0x0000);
        assertThat(f16(Math.nextUp(0x1p-25f))).isEqualTo(0x0001);
        assertThat(f16(3 * 0x1p-25f)).isEqualTo(0x0002);
        assertThat(f16(Math.nextDown(0x1p-14f))).isEqualTo(0x0400);
        assertThat(f16(-Float.MIN_VALUE)).isEqualTo(0x8000);
        assertThat(f16(-0f)).isEqualTo(0x8000);
    }

    @Test
    void everyNanBecomesTheOneNan() {
        for (int bits : new int[] {0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF}) {
            assertThat(Halves.floatToF16(Float.intBitsToFloat(bits))).isEqualTo(Halves.F16_NAN);
        }
        assertThat(Halves.F16_NAN & 0xFFFF).isEqualTo(0x7E00);
    }

    @Test
    void everyF16PatternWidensToItsValueAndRoundTrips() {
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            float value = Halves.f16ToFloat((short) pattern);
            int exponent = (pattern >> 10) & 0x1F;
            int mantissa = pattern & 0x3FF;
            double sign = pattern < 0x8000 ? 1 : -1;
            if (exponent == 0x1F && mantissa != 0) {
                assertThat(value).isNaN();
                assertThat(Halves.floatToF16(value)).isEqualTo(Halves.F16_NAN);
                continue;
            }
            double expected = sign
                    * switch (exponent) {
                        case 0 -> mantissa * 0x1p-24;
                        case 0x1F -> Double.POSITIVE_INFINITY;
                        default -> Math.scalb(1 + mantissa / 1024.0, exponent - 15);
                    };
            if (value != expected || (value == 0 && 1 / value != sign * Double.POSITIVE_INFINITY)) {
                fail("%04x is %s, not %s", pattern, value, expected);
            }
            requireBits(f16(value), pattern, value);
        }
    }

    @Test
    void betweenAnyTwoNeighboursTheNearerWinsAndATieGoesToTheEven() {
        for (int low = 0; low < 0x7BFF; low++) {
            double below = Halves.f16ToFloat((short) low);
            double above = Halves.f16ToFloat((short) (low + 1));
            float middle = (float) ((below + above) / 2);
            int even = (low & 1) == 0 ? low : low + 1;
            requireBits(f16(middle), even, middle);
            requireBits(f16(-middle), even | 0x8000, -middle);
            requireBits(f16(Math.nextDown(middle)), low, Math.nextDown(middle));
            requireBits(f16(Math.nextUp(middle)), low + 1, Math.nextUp(middle));
        }
    }

    @Test
    void narrowingAgreesWithTheJdkOnRandomFloats() {
        Random random = new Random(1);
        for (int i = 0; i < 1_000_000; i++) {
            float value = Float.intBitsToFloat(random.nextInt());
            if (!Float.isNaN(value)) {
                requireBits(f16(value), Float.floatToFloat16(value) & 0xFFFF, value);
            }
        }
    }

    @Test
    void everyBf16PatternIsTheUpperHalfOfItsF32() {
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            float value = Halves.bf16ToFloat((short) pattern);
            if (Float.floatToRawIntBits(value) != pattern << 16) {
                fail("%04x is %s", pattern, value);
            }
        }
        assertThat(Halves.bf16ToFloat((short) 0x3F80)).isEqualTo(1f);
    }

    /** AssertJ is slow in loops of a million. */
    private static void requireBits(int bits, int expected, float value) {
        if (bits != expected) {
            fail("%s became %04x, not %04x", value, bits, expected);
        }
    }

    private static int f16(float value) {
        return Halves.floatToF16(value) & 0xFFFF;
    }
}
