package io.tutti.tornado.kernel;

/**
 * How a kernel is launched: work-items and work-group sizes in three dimensions, each size a whole multiple of its group's,
 * since OpenCL refuses other launches and TornadoVM does not say so.
 *
 * @param x work-items in the first dimension, in which neighbours touch neighbouring memory
 * @param localX work-items of a work-group in that dimension
 */
public record Grid(int x, int y, int z, int localX, int localY, int localZ) {

    /** Work-items of a group where the kernel does not care. */
    static final int LANES = 64;

    public Grid {
        if (x < 1 || y < 1 || z < 1 || x % localX != 0 || y % localY != 0 || z % localZ != 0) {
            throw new IllegalArgumentException(
                    "%d x %d x %d work-items in groups of %d x %d x %d".formatted(x, y, z, localX, localY, localZ));
        }
    }

    /** At least {@code x} by {@code y} by {@code z} work-items in groups of {@value #LANES} along x. */
    static Grid over(int x, int y, int z) {
        return new Grid(Math.multiplyExact((x + LANES - 1) / LANES, LANES), y, z, LANES, 1, 1);
    }
}
