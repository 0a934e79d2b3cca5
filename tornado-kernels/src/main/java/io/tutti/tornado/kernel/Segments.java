package io.tutti.tornado.kernel;

import io.tutti.engine.numerics.Numerics;

/** Every sum runs in ascending order inside segments, and the segments' sums are added in ascending order. */
final class Segments {

    /** Terms of a segment. */
    static final int SIZE = Numerics.SEGMENT;

    private Segments() {}

    /** Segments of n terms. */
    static int count(int n) {
        return (n + SIZE - 1) / SIZE;
    }
}
