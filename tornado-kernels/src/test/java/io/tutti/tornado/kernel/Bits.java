package io.tutti.tornado.kernel;

import static org.assertj.core.api.Assertions.fail;

/** Compares floats as their bits, all NaNs being one. */
final class Bits {

    private Bits() {}

    static void assertEqual(float[] actual, float[] expected, String what) {
        int wrong = 0;
        int first = -1;
        for (int i = 0; i < expected.length; i++) {
            if (Float.floatToIntBits(actual[i]) != Float.floatToIntBits(expected[i])) {
                first = wrong++ == 0 ? i : first;
            }
        }
        if (wrong > 0 || actual.length != expected.length) {
            fail(
                    "%s: %d of %d numbers differ, the first at %d: %s (%08x) instead of %s (%08x)",
                    what,
                    wrong,
                    expected.length,
                    first,
                    actual[first],
                    Float.floatToRawIntBits(actual[first]),
                    expected[first],
                    Float.floatToRawIntBits(expected[first]));
        }
    }
}
