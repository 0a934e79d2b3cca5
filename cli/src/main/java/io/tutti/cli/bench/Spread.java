package io.tutti.cli.bench;

import java.util.Arrays;
import java.util.stream.DoubleStream;

/** A figure that was measured several times. */
public record Spread(double min, double median, double max) {

    /** @param values at least one */
    static Spread of(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int half = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
        return new Spread(sorted[0], median, sorted[sorted.length - 1]);
    }

    /** @param values at least one */
    static Spread of(DoubleStream values) {
        return of(values.toArray());
    }
}
