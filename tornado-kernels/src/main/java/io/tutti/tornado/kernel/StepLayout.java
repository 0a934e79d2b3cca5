package io.tutti.tornado.kernel;

/**
 * Where a step's numbers lie in the int array that goes to the device before each step. M is the most tokens that a step of
 * the program may have:
 *
 * <pre>
 *   [0] T, new tokens    [1] O, tokens whose logits were asked for    [2] segments of the longest context
 *   [4, 4 + M)           token ids
 *   [4 + M, ..)          their positions
 *   [4 + 2M, ..)         their slots in the cache: block * blockTokens + place in the block
 *   [4 + 3M, ..)         where their sequence's block table begins, counted from the first table
 *   [4 + 4M, ..)         for each output, its token
 *   [4 + 5M, ..)         the block tables
 * </pre>
 *
 * Kernels and host both ask this class.
 */
public final class StepLayout {

    /** Where T is, the number of new tokens. */
    public static final int TOKENS = 0;

    /** Where O is, the number of outputs. */
    public static final int OUTPUTS = 1;

    /** Where the segments are that the token furthest on in its context has. */
    public static final int SEGMENTS = 2;

    private static final int HEADER = 4;

    private StepLayout() {}

    /** Where token t's id is. */
    public static int id(int maxTokens, int t) {
        return HEADER + t;
    }

    /** Where token t's position is. */
    public static int position(int maxTokens, int t) {
        return HEADER + maxTokens + t;
    }

    /** Where token t's slot is. */
    public static int slot(int maxTokens, int t) {
        return HEADER + 2 * maxTokens + t;
    }

    /** Where it says at which {@link #block} token t's sequence has its first block. */
    public static int table(int maxTokens, int t) {
        return HEADER + 3 * maxTokens + t;
    }

    /** Where the token of output i is. */
    public static int output(int maxTokens, int i) {
        return HEADER + 4 * maxTokens + i;
    }

    /** Where entry i of all block tables is. */
    public static int block(int maxTokens, int i) {
        return HEADER + 5 * maxTokens + i;
    }

    /** Ints of the whole array, with room for {@code blocks} entries of block tables. */
    public static int size(int maxTokens, int blocks) {
        return block(maxTokens, blocks);
    }
}
