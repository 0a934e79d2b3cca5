package io.tutti.engine.selftest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ComparisonTest {

    @Test
    void bitsAreCountedAndDifferencesMeasured() {
        float[] reference = {1, -8, 0, 2};
        float[] actual = {1, -8.5f, -0f, Math.nextUp(2f)};
        Comparison all = Comparison.of(reference, actual);
        assertThat(all).isEqualTo(new Comparison(4, 3, 1 + 1 + 1, 0.5, 8, true));
        assertThat(all.relative()).isEqualTo(0.5 / 8);
        assertThat(all.exact()).isFalse();
    }

    @Test
    void partsAddUpToTheWhole() {
        float[] reference = {3, 4, 5, -6};
        float[] actual = {3, 4.25f, 5, 6};
        assertThat(Comparison.of(reference, actual, 0, 1)
                        .and(Comparison.of(reference, actual, 1, 3))
                        .and(Comparison.of(reference, actual, 3, 4)))
                .isEqualTo(Comparison.of(reference, actual));
    }

    @Test
    void numbersThatAreNotFiniteDifferWithoutBound() {
        for (float bad : new float[] {Float.NaN, Float.POSITIVE_INFINITY}) {
            assertThat(Comparison.of(new float[] {1}, new float[] {bad}).relative())
                    .isEqualTo(Double.POSITIVE_INFINITY);
            assertThat(Comparison.of(new float[] {bad}, new float[] {1}).relative())
                    .isEqualTo(Double.POSITIVE_INFINITY);
            assertThat(Comparison.of(new float[] {bad}, new float[] {bad}).exact())
                    .isTrue();
        }
    }
}
