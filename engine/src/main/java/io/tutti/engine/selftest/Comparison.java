package io.tutti.engine.selftest;

/** Two arrays, number by number. */
record Comparison(long compared, long differing, double largestDifference, double largest, boolean finite) {

    static final Comparison EMPTY = new Comparison(0, 0, 0, 0, true);

    /** Compares bits, so that -0 is not 0. */
    static Comparison of(float[] reference, float[] actual) {
        long differing = 0;
        double largestDifference = 0;
        double largest = 0;
        boolean finite = true;
        for (int i = 0; i < reference.length; i++) {
            largest = Math.max(largest, Math.abs((double) reference[i]));
            if (Float.floatToRawIntBits(reference[i]) != Float.floatToRawIntBits(actual[i])) {
                differing++;
                finite &= Float.isFinite(actual[i]);
                largestDifference = Math.max(largestDifference, Math.abs((double) reference[i] - actual[i]));
            }
        }
        return new Comparison(reference.length, differing, largestDifference, largest, finite);
    }

    Comparison and(Comparison other) {
        return new Comparison(
                compared + other.compared,
                differing + other.differing,
                Math.max(largestDifference, other.largestDifference),
                Math.max(largest, other.largest),
                finite && other.finite);
    }

    boolean exact() {
        return differing == 0;
    }

    /** The largest difference as a share of the largest number; infinite if a number that should be finite is not. */
    double relative() {
        if (!finite || Double.isNaN(largestDifference)) {
            return Double.POSITIVE_INFINITY;
        }
        return largest == 0 ? largestDifference : largestDifference / largest;
    }
}
