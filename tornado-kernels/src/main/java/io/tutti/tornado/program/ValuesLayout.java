package io.tutti.tornado.program;

import io.tutti.engine.graph.Buffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Gives every buffer of a program its place in one array: one array is uploaded, passed on and kept by TornadoVM, however
 * many buffers a model has. Buffers that one kernel writes lie side by side, row by row.
 */
final class ValuesLayout {

    private final int rows;
    private final Map<Buffer, View> views = new HashMap<>();
    private long size;

    /** @param rows rows that a buffer has at most: the tokens of the largest step */
    ValuesLayout(int rows) {
        this.rows = rows;
    }

    /** Places buffers side by side, unless they have a place. */
    void place(List<Buffer> beside) {
        if (views.containsKey(beside.getFirst())) {
            return;
        }
        int stride = beside.stream().mapToInt(Buffer::width).sum();
        int at = reserve((long) rows * stride);
        for (Buffer buffer : beside) {
            views.put(buffer, new View(at, stride, buffer.width()));
            at += buffer.width();
        }
    }

    /** Sets numbers aside that are no buffer's; returns the index of the first, or 0 once the array is past what it may be. */
    int reserve(long numbers) {
        long at = size;
        size = Math.addExact(size, numbers);
        return size <= Integer.MAX_VALUE ? (int) at : 0;
    }

    View of(Buffer buffer) {
        return views.get(buffer);
    }

    /** Numbers in all; more than an array holds is for the caller to refuse. */
    long size() {
        return size;
    }
}
