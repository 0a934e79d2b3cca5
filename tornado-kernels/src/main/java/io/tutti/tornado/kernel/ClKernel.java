package io.tutti.tornado.kernel;

import io.tutti.engine.host.kernel.Int8Rows;
import io.tutti.engine.host.kernel.ScaleRuns;
import io.tutti.engine.numerics.Int8Activations;
import java.util.Arrays;

/**
 * The kernel in OpenCL C as Java sees it: for each op what stands in its row of the table of ops, which op it is and the
 * fields of its struct in {@code *.cl}. The ops are those of the kernels in Java, and have their bits; a work-item takes more,
 * and a work-group is one.
 *
 * <p>Views, counts and sizes are as for the kernels in Java; {@code layer} is the layer's number within its group of weights.
 */
public final class ClKernel {

    /** What numbers are stored as. */
    public static final int F32 = 0;

    public static final int F16 = 1;
    public static final int BF16 = 2;
    public static final int INT4 = 3;

    /** As {@link #INT4}, for products of rows that are {@link #quantize quantized}. */
    public static final int INT8 = 4;

    /** What is done with a product: it takes the place of what was there, or is added to that. */
    public static final int REPLACE = 0;

    public static final int ADD_TO = 1;

    /** The upper half of the rows is a gate, the lower what it opens; {@link #swiGlu} of them takes the gate's place. */
    public static final int OPEN_GATE = 2;

    private static final int EMBED_OP = 0;
    private static final int RMS_NORM_OP = 1;
    private static final int MAT_MUL_OP = 2;
    private static final int ROTATE_OP = 3;
    private static final int WRITE_KV_OP = 4;
    private static final int ATTENTION_OP = 5;
    private static final int SWI_GLU_OP = 6;
    private static final int ADD_OP = 7;
    private static final int SELECT_OUTPUTS_OP = 8;
    private static final int NOTHING_OP = 9;
    private static final int QUANTIZE_OP = 10;

    /** The last field of a product that prepares its input's rows. */
    private static final int SCRATCH = 19;

    private ClKernel() {}

    /** A work-item a row. */
    public static Grid rowGrid(int rows) {
        return new Grid(rows, 1, 1, 1, 1, 1);
    }

    /** A work-item for each {@code tilesEach} tiles and {@code tokensEach} tokens. */
    public static Grid matMulGrid(int tiles, int tilesEach, int tokens, int tokensEach) {
        return new Grid(Math.ceilDiv(tiles, tilesEach), Math.ceilDiv(tokens, tokensEach), 1, 1, 1, 1);
    }

    /** A work-item for each KV head and token. */
    public static Grid attentionGrid(int kvHeads, int tokens) {
        return new Grid(kvHeads, tokens, 1, 1, 1, 1);
    }

    /** {@link Embed}; the table is the weights. */
    public static int[] embed(int format, int width, int maxTokens, int outAt, int outStride) {
        return row(EMBED_OP, format, width, maxTokens, outAt, outStride);
    }

    /**
     * {@link RmsNorm}.
     *
     * @param scalesAt where the layer's scales begin in the values, {@code [heads][width]}
     */
    public static int[] rmsNorm(
            int count,
            int heads,
            int width,
            int scalesAt,
            float eps,
            int inAt,
            int inStride,
            int outAt,
            int outStride) {
        return row(RMS_NORM_OP, count, heads, width, scalesAt, bits(eps), inAt, inStride, outAt, outStride);
    }

    /**
     * {@link MatMulTiles}, or of {@link #INT8} {@link MatMulInt8}, whose input then is as {@link #quantize} leaves it.
     *
     * @param group columns that share a scale of int4
     * @param rows of the matrix; for {@link #OPEN_GATE} whole tiles of both
     * @param finish what is done with the product
     * @param biasAt where the layer's biases begin in the values, or {@link Bias#NONE}
     */
    public static int[] matMul(
            int format,
            int group,
            int count,
            int layer,
            int cols,
            int rows,
            int finish,
            int tilesEach,
            int tokensEach,
            int inAt,
            int inStride,
            int outAt,
            int outStride,
            int biasAt) {
        return row(
                MAT_MUL_OP,
                format,
                group,
                count,
                layer,
                cols,
                rows,
                finish,
                tilesEach,
                tokensEach,
                inAt,
                inStride,
                outAt,
                outStride,
                biasAt);
    }

    /**
     * A {@link #matMul} that normalizes its input's rows first. Each work-item does so for
     * itself, so a step may have as many tokens as one takes.
     *
     * @param scalesAt where the layer's scales begin in the values
     * @param scratch where the work-items have room for {@code tokensEach} rows each
     */
    public static int[] normalizing(int[] matMul, int scalesAt, float eps, int scratch) {
        return row(matMul, 1, scalesAt, bits(eps), 0, scratch);
    }

    /**
     * A {@link #matMul} of {@link #INT8}, {@link #normalizing} or not, that quantizes its input's rows first, in the same way.
     *
     * @param scratch where the work-items have room for {@code tokensEach} rows each, of {@link #quantizedStride} and, if they
     *     are normalized, of {@code cols} numbers more
     */
    public static int[] quantizing(int[] matMul, int scratch) {
        int[] row = Arrays.copyOf(matMul, SCRATCH + 1);
        row[SCRATCH - 1] = 1;
        row[SCRATCH] = scratch;
        return row;
    }

    /**
     * {@link QuantizeRows}, to rows that are laid out in another way.
     *
     * @param group columns that share a scale of the weights that the rows meet
     */
    public static int[] quantize(int count, int cols, int group, int inAt, int inStride, int outAt) {
        return row(QUANTIZE_OP, count, cols, group, inAt, inStride, outAt, quantizedStride(cols, group));
    }

    /** Numbers from one quantized row to the next: as many as it has blocks, and four for each word of each run. */
    public static int quantizedStride(int cols, int group) {
        ScaleRuns runs = new ScaleRuns(cols, group);
        return Int8Activations.blocks(cols) + runs.entries() * Int8Rows.PAIRS;
    }

    /** {@link Rotate}; the angles are an array of their own. */
    public static int[] rotate(int heads, int pairs, int at, int stride) {
        return row(ROTATE_OP, heads, pairs, at, stride);
    }

    /**
     * A {@link #rotate} that normalizes each head first.
     *
     * @param scalesAt where the layer's scales begin in the values, {@code [heads][2 * pairs]}
     */
    public static int[] normalized(int[] rotate, int scalesAt, float eps) {
        return row(rotate, 1, scalesAt, bits(eps));
    }

    /**
     * Where a layer's part of the cache is: what {@link #writeKv} and {@link #attention} begin with.
     *
     * @param at elements ahead of the layer in its region
     */
    public static int[] cache(int format, int kvHeads, int headDim, int blockTokens, int at, int maxTokens) {
        return row(format, kvHeads, headDim, blockTokens, at, maxTokens);
    }

    /** {@link WriteKv}. */
    public static int[] writeKv(int[] cache, int keyAt, int keyStride, int valueAt, int valueStride) {
        return row(row(row(WRITE_KV_OP), cache), keyAt, keyStride, valueAt, valueStride);
    }

    /**
     * {@link Attention} and {@link AttentionCombine}.
     *
     * @param capacity segments that partial results have room for
     * @param window positions that a token sees up to its own
     */
    public static int[] attention(
            int[] cache,
            int heads,
            int capacity,
            int partialAt,
            float scale,
            int window,
            int queryAt,
            int queryStride,
            int outAt,
            int outStride) {
        return row(
                row(row(ATTENTION_OP), cache),
                heads,
                capacity,
                partialAt,
                bits(scale),
                window,
                queryAt,
                queryStride,
                outAt,
                outStride);
    }

    /**
     * An {@link #attention} that does {@link #rotate} or {@link #normalized}, and {@link #writeKv} first; for steps in which no
     * sequence has two tokens.
     *
     * @param rotate of queries, and of keys that lie behind them
     */
    public static int[] fresh(int[] attention, int[] rotate, int valueAt, int valueStride) {
        return row(row(attention, 1, valueAt, valueStride), Arrays.copyOfRange(rotate, 1, rotate.length));
    }

    /** {@link Elementwise#swiGlu}. */
    public static int[] swiGlu(
            int count, int width, int gateAt, int gateStride, int upAt, int upStride, int outAt, int outStride) {
        return row(SWI_GLU_OP, count, width, gateAt, gateStride, upAt, upStride, outAt, outStride);
    }

    /** {@link Elementwise#add}. */
    public static int[] add(int count, int width, int xAt, int xStride, int yAt, int yStride) {
        return row(ADD_OP, count, width, xAt, xStride, yAt, yStride);
    }

    /** {@link Elementwise#selectOutputs}. */
    public static int[] selectOutputs(int width, int maxTokens, int inAt, int inStride, int outAt, int outStride) {
        return row(SELECT_OUTPUTS_OP, width, maxTokens, inAt, inStride, outAt, outStride);
    }

    /** No op; a launch of it has TornadoVM upload the arrays that it is given. */
    public static int[] nothing() {
        return row(NOTHING_OP);
    }

    private static int[] row(int... fields) {
        return fields;
    }

    private static int[] row(int[] begin, int... more) {
        int[] all = Arrays.copyOf(begin, begin.length + more.length);
        System.arraycopy(more, 0, all, begin.length, more.length);
        return all;
    }

    private static int bits(float x) {
        return Float.floatToRawIntBits(x);
    }
}
