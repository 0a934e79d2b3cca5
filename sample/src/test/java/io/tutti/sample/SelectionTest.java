package io.tutti.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
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

    /** Built backwards so that the middle of what is left is its largest value every time, which lets go of one value a round. */
    @Test
    void sortsWhereThePivotsAreUnlucky() {
        int n = 5000;
        double[] values = new double[n];
        for (int size = 2; size <= n; size++) {
            int middle = (size - 1) >>> 1;
            values[size - 1] = values[middle];
            values[middle] = size;
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        assertThat(Selection.kthLargest(values, n, n)).isEqualTo(sorted[0]);
        assertThat(values).as("left sorted at its low end").startsWith(Arrays.copyOf(sorted, 100));
    }
}
