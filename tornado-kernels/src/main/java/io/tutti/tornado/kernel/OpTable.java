package io.tutti.tornado.kernel;

import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/** The numbers of every launch of the OpenCL C kernel: a row a task, each one of {@link ClKernel}'s. */
public final class OpTable {

    /** Ints of a row. */
    static final int ROW = 32;

    private final IntArray array;

    public OpTable(int tasks) {
        array = new IntArray(tasks * ROW);
        array.init(0);
    }

    public IntArray array() {
        return array;
    }

    /**
     * Writes a task's row; fields that it has not are zero.
     *
     * @throws IllegalArgumentException if it has more than a row has room for
     */
    public void set(int task, int[] row) {
        if (row.length > ROW) {
            throw new IllegalArgumentException(
                    "task %d has %d fields; accepted: at most %d".formatted(task, row.length, ROW));
        }
        for (int i = 0; i < ROW; i++) {
            array.set(task * ROW + i, i < row.length ? row[i] : 0);
        }
    }
}
