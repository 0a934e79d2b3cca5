package io.tutti.sample;

import java.util.Arrays;

/** Order statistics without a full sort. */
final class Selection {
    private Selection() {}

    /**
     * The k-th largest, from 1, of the first {@code count} values, which it reorders; no value may be a NaN. Takes linear time as a rule;
     * where the pivots are unlucky, it sorts what is left.
     *
     * @see <a href="https://doi.org/10.1145/366622.366647">C. A. R. Hoare, Algorithm 65: Find, 1961</a>
     */
    static double kthLargest(double[] values, int count, int k) {
        int target = count - k;
        int low = 0;
        int high = count - 1;
        int work = 8 * count;
        while (low < high) {
            work -= high - low;
            if (work < 0) {
                Arrays.sort(values, low, high + 1);
                break;
            }
            double pivot = values[(low + high) >>> 1];
            int i = low;
            int j = high;
            while (i <= j) {
                while (values[i] < pivot) {
                    i++;
                }
                while (values[j] > pivot) {
                    j--;
                }
                if (i <= j) {
                    double value = values[i];
                    values[i++] = values[j];
                    values[j--] = value;
                }
            }
            if (target <= j) {
                high = j;
            } else if (target >= i) {
                low = i;
            } else {
                break;
            }
        }
        return values[target];
    }
}
