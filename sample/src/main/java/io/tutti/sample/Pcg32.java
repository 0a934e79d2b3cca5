package io.tutti.sample;

/**
 * The generator PCG-XSH-RR with 64 bits of state and 32 of output: {@code pcg32} of the reference C library, number for number.
 *
 * <p>Not safe for use by several threads at once.
 *
 * @see <a href="https://www.pcg-random.org/paper.html">M. E. O'Neill, PCG: A Family of Simple Fast Space-Efficient
 *     Statistically Good Algorithms for Random Number Generation, 2014</a>
 */
public final class Pcg32 {
    private static final long MULTIPLIER = 6364136223846793005L;

    private final long increment;
    private long state;

    /**
     * The generator that the library's {@code pcg32_srandom_r} sets up.
     *
     * @param seed the starting point, any 64 bits
     * @param sequence which of 2^63 different sequences; the top bit has no effect
     */
    public Pcg32(long seed, long sequence) {
        increment = (sequence << 1) | 1;
        nextInt();
        state += seed;
        nextInt();
    }

    /** The next 32 random bits, to be read as unsigned. */
    public int nextInt() {
        long old = state;
        state = old * MULTIPLIER + increment;
        int xorShifted = (int) (((old >>> 18) ^ old) >>> 27);
        return Integer.rotateRight(xorShifted, (int) (old >>> 59));
    }

    /** The next number of [0, 1): a multiple of 2^-53, made of two outputs, 27 bits of the first over 26 of the second. */
    public double nextDouble() {
        int high = nextInt() >>> 5;
        int low = nextInt() >>> 6;
        return (high * 0x1p26 + low) * 0x1p-53;
    }
}
