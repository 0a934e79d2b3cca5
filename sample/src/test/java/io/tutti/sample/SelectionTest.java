package io.tutti.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class SelectionTest {
    @Property(tries = 200)
    void findsWhatAFullSortFinds(
            @ForAll @Size(min = 1, max = 200) int[] drawn, @ForAll @IntRange(min = 1) int modulus) {
        double[] values = Arrays.stream(drawn).mapToDouble(i -> i % modulus).toArray();
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        for (int k = 1; k <= values.length; k++) {
            assertThat(Selection.kthLargest(values.clone(), values.length, k)).isEqualTo(sorted[values.length - k]);
        }
    }

    @Test
    void looksAtTheFirstCountValuesOnly() {
        assertThat(Selection.kthLargest(new double[] {1, 5, 3, 9, 9}, 3, 1)).isEqualTo(5);
    }

    /** Rising, then falling: the middle is always the largest, the worst of pivots. */
    @Test
    void theWorstOrderTakesNoQuadraticTime() {
        int n = 1 << 18;
        double[] values =
                IntStream.range(0, n).mapToDouble(i -> Math.min(i, n - i)).toArray();
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        assertThat(Selection.kthLargest(values, n, n - 10)).isEqualTo(sorted[10]);
    }
}
