package io.tutti.sample;

/** One seed, many independent generators: each purpose that needs random numbers has a stream of its own. */
public final class Streams {
    /** The purpose of drawing tokens. */
    public static final long SAMPLE = 4;

    /** 2^64 divided by the golden ratio, the step between SplitMix64's states. */
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private Streams() {}

    /** The generator for one purpose under one seed; a request draws its tokens from {@code stream(seed, SAMPLE)}. */
    public static Pcg32 stream(long seed, long purpose) {
        return new Pcg32(childSeed(seed, purpose), purpose);
    }

    /** The seed for one purpose, which tells nothing of the seeds for others. */
    public static long childSeed(long seed, long purpose) {
        return mix64(seed + purpose * GOLDEN_GAMMA);
    }

    /**
     * A bijection of 64 bits in which every input bit stirs every output bit: the finalizer of SplitMix64.
     *
     * @see <a href="https://doi.org/10.1145/2660193.2660195">Steele, Lea and Flood, Fast Splittable Pseudorandom Number
     *     Generators, 2014</a>
     */
    public static long mix64(long z) {
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
