package io.tutti.engine.selftest;

/**
 * Two arrays, number by number.
 *
 * @param compared numbers compared
 * @param differing numbers whose bits differ, so that -0 is not 0
 * @param differingBits bits that differ, in all numbers together
 * @param largestDifference the largest magnitude of a difference
 * @param largest the largest magnitude in the reference
 * @param finite whether all numbers that differ are finite, in both
 */
public record Comparison(
        long compared, long differing, long differingBits, double largestDifference, double largest, boolean finite) {

    /** Of no numbers. */
    public static final Comparison EMPTY = new Comparison(0, 0, 0, 0, 0, true);

    public static Comparison of(float[] reference, float[] actual) {
        return of(reference, actual, 0, reference.length);
    }

    /** Compares the numbers from {@code begin} to {@code end}. */
    public static Comparison of(float[] reference, float[] actual, int begin, int end) {
        long differing = 0;
        long differingBits = 0;
        double largestDifference = 0;
        double largest = 0;
        boolean finite = true;
        for (int i = begin; i < end; i++) {
            largest = Math.max(largest, Math.abs((double) reference[i]));
            int bits = Float.floatToRawIntBits(reference[i]) ^ Float.floatToRawIntBits(actual[i]);
            if (bits != 0) {
                differing++;
                differingBits += Integer.bitCount(bits);
                finite &= Float.isFinite(actual[i]) && Float.isFinite(reference[i]);
                largestDifference = Math.max(largestDifference, Math.abs((double) reference[i] - actual[i]));
            }
        }
        return new Comparison(end - begin, differing, differingBits, largestDifference, largest, finite);
    }

    /** This and more numbers of the same kind. */
    public Comparison and(Comparison other) {
        return new Comparison(
                compared + other.compared,
                differing + other.differing,
                differingBits + other.differingBits,
                Math.max(largestDifference, other.largestDifference),
                Math.max(largest, other.largest),
                finite && other.finite);
    }

    /** Whether all bits are the same. */
    public boolean exact() {
        return differing == 0;
    }

    /** The largest difference as a share of the largest number; infinite if a number that should be finite is not. */
    public double relative() {
        if (!finite || Double.isNaN(largestDifference)) {
            return Double.POSITIVE_INFINITY;
        }
        return largest == 0 ? largestDifference : largestDifference / largest;
    }
}
