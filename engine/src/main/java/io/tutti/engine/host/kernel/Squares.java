package io.tutti.engine.host.kernel;

import io.tutti.engine.numerics.Numerics;

/**
 * Sums of squares of rows, each in the order of {@link Numerics#dot}. A run of multiply-adds is a chain, each waiting for
 * the one before, so four runs go side by side: segments of one row, or of several rows.
 */
public final class Squares {

    private Squares() {}

    /** Numbers that {@link #sum} needs room for. */
    public static int room(int rows, int n) {
        return rows * ((n + Numerics.SEGMENT - 1) / Numerics.SEGMENT);
    }

    /**
     * Sums the squares of each of {@code rows} consecutive rows of {@code n} numbers.
     *
     * @param x the rows, from {@code at} on
     * @param sums receives the rows' sums at its start; {@link #room} numbers are overwritten
     */
    public static void sum(float[] x, int at, int rows, int n, float[] sums) {
        int full = n / Numerics.SEGMENT;
        int runs = full * rows; // run i is segment i / rows of row i % rows
        for (int i = 0; i < runs; i += 4) {
            four(x, at, rows, n, Numerics.SEGMENT, i, Math.min(4, runs - i), sums);
        }
        int rest = n % Numerics.SEGMENT;
        for (int row = 0; rest > 0 && row < rows; row += 4) {
            four(x, at, rows, n, rest, runs + row, Math.min(4, rows - row), sums);
        }
        int segments = room(1, n);
        for (int row = 0; row < rows; row++) {
            float total = 0;
            for (int s = 0; s < segments; s++) {
                total += sums[s * rows + row];
            }
            sums[row] = total;
        }
    }

    /** Runs {@code run} and the {@code count - 1} after it, of {@code length} numbers each. */
    private static void four(float[] x, int at, int rows, int n, int length, int run, int count, float[] sums) {
        int x0 = start(at, rows, n, run);
        int x1 = start(at, rows, n, run + Math.min(1, count - 1));
        int x2 = start(at, rows, n, run + Math.min(2, count - 1));
        int x3 = start(at, rows, n, run + Math.min(3, count - 1));
        float a = 0;
        float b = 0;
        float c = 0;
        float d = 0;
        for (int i = 0; i < length; i++) {
            a = Math.fma(x[x0 + i], x[x0 + i], a);
            b = Math.fma(x[x1 + i], x[x1 + i], b);
            c = Math.fma(x[x2 + i], x[x2 + i], c);
            d = Math.fma(x[x3 + i], x[x3 + i], d);
        }
        sums[run + Math.min(3, count - 1)] = d;
        sums[run + Math.min(2, count - 1)] = c;
        sums[run + Math.min(1, count - 1)] = b;
        sums[run] = a;
    }

    private static int start(int at, int rows, int n, int run) {
        return at + run % rows * n + run / rows * Numerics.SEGMENT;
    }
}
