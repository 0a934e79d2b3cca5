package io.tutti.tornado.program;

import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Op;
import io.tutti.engine.numerics.Numerics;
import io.tutti.tornado.kernel.Attention;
import io.tutti.tornado.program.FusedOp.Linear;
import io.tutti.tornado.program.FusedOp.Plain;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Gives every buffer of a program its place in one array, behind the weights' vectors: one array is uploaded, passed on and
 * kept by TornadoVM, however many buffers a model has. Buffers that one kernel writes lie side by side, row by row.
 */
final class ValuesLayout {

    private static final int CACHE_LINE_FLOATS = 16;

    /** At strides of multiples of this, caches keep rows in a quarter of their lines or less. */
    private static final int ALIKE = 256;

    private final int rows;
    private final int segments;
    private final Map<Buffer, View> views = new HashMap<>();
    private final int partials;
    private final int quantized;
    private final int scratch;
    private long size;

    /**
     * Places every buffer that the ops write.
     *
     * @param limits of a step: a buffer has a row for each token at most
     * @param vectors numbers ahead of all buffers
     * @param quantizedStride numbers of the widest row that a linear layer takes in int8, or 0
     * @param scratch numbers that kernels need for themselves
     */
    ValuesLayout(List<FusedOp> ops, ProgramLimits limits, long vectors, int quantizedStride, long scratch) {
        reserve(vectors);
        rows = limits.maxTokens();
        segments = Math.ceilDiv(limits.maxPositions(), Numerics.SEGMENT);
        for (FusedOp op : ops) {
            if (op instanceof Linear linear && linear.outs().size() > 1) {
                place(linear.outs());
            }
        }
        ops.stream().flatMap(op -> op.written().stream()).forEach(buffer -> place(List.of(buffer)));
        long most = ops.stream()
                .mapToLong(op -> op instanceof Plain(Op.Attention a)
                        ? Attention.partialSize(rows, a.heads(), a.headDim(), segments)
                        : 0)
                .max()
                .orElse(0);
        partials = reserve(most);
        quantized = reserve((long) rows * quantizedStride);
        this.scratch = reserve(scratch);
    }

    /** Places buffers side by side, unless they have a place. */
    private void place(List<Buffer> beside) {
        if (views.containsKey(beside.getFirst())) {
            return;
        }
        int stride = apart(beside.stream().mapToInt(Buffer::width).sum());
        int at = reserve((long) rows * stride);
        for (Buffer buffer : beside) {
            views.put(buffer, new View(at, stride, buffer.width()));
            at += buffer.width();
        }
    }

    /** Rows so far apart that neighbours do not meet in the same few lines of a cache, as they do at powers of two. */
    private static int apart(int width) {
        return width % ALIKE == 0 ? width + CACHE_LINE_FLOATS : width;
    }

    /** Sets numbers aside; returns the index of the first, or 0 once the array is past what it may be. */
    private int reserve(long numbers) {
        long at = size;
        size = Math.addExact(size, Math.ceilDiv(numbers, CACHE_LINE_FLOATS) * CACHE_LINE_FLOATS);
        return size <= Integer.MAX_VALUE ? (int) at : 0;
    }

    /** Segments of a context that attention's partial results have room for. */
    int segments() {
        return segments;
    }

    /** Where attention's partial results are. */
    int partials() {
        return partials;
    }

    /** Where the rows are that a linear layer takes in int8. */
    int quantized() {
        return quantized;
    }

    /** Where kernels have numbers for themselves. */
    int scratch() {
        return scratch;
    }

    View of(Buffer buffer) {
        return views.get(buffer);
    }

    /** Numbers in all; more than an array holds is for the caller to refuse. */
    long size() {
        return size;
    }

    long bytes() {
        return size * Float.BYTES;
    }
}
