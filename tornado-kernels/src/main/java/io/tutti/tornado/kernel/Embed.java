package io.tutti.tornado.kernel;

import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/**
 * {@code out[t] = table[id of token t]}, widened. The table is packed as a matrix's tiles are (it may be the LM head, too),
 * so a row is a column of its tile: the reads are scattered, but few.
 */
public final class Embed {

    private Embed() {}

    /** A work-item an element. */
    public static Grid grid(int tokens, int width) {
        return Grid.over(width, tokens, 1);
    }

    /**
     * From a table of f32.
     *
     * @param table {@code [tiles][width][32]}
     */
    public static void f32(
            KernelContext context,
            IntArray step,
            IntArray launches,
            FloatArray values,
            FloatArray table,
            int maxTokens,
            int width,
            int outAt,
            int outStride,
            int task) {
        Launches.count(context, launches, task);
        int i = context.globalIdx;
        int t = context.globalIdy;
        if (i < width && t < step.get(StepLayout.TOKENS)) {
            int id = step.get(StepLayout.id(maxTokens, t));
            values.set(outAt + t * outStride + i, table.get(Tiles.f32(id, width, i)));
        }
    }

    /**
     * From a table of f16 or bf16.
     *
     * @param table in pairs, {@code [tiles][width][16]}
     * @param format which of them, see {@link Tables}
     */
    public static void halves(
            KernelContext context,
            IntArray step,
            IntArray launches,
            FloatArray values,
            IntArray table,
            FloatArray tables,
            int format,
            int maxTokens,
            int width,
            int outAt,
            int outStride,
            int task) {
        Launches.count(context, launches, task);
        int compact = Tables.form(tables);
        int i = context.globalIdx;
        int t = context.globalIdy;
        if (i < width && t < step.get(StepLayout.TOKENS)) {
            int id = step.get(StepLayout.id(maxTokens, t));
            int pair = table.get(Tiles.halves(id, width, i));
            values.set(outAt + t * outStride + i, Widen.half(tables, format, compact, pair, Tiles.halfShift(id)));
        }
    }
}
