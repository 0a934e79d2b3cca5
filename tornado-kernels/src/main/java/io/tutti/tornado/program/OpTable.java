package io.tutti.tornado.program;

import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/** The numbers of every launch of the OpenCL C kernel, a row a task: which op it does, and the fields of its struct. */
final class OpTable {

    /** Ints of a row, as in run.cl. */
    private static final int ROW = 32;

    private final IntArray array;

    OpTable(int tasks) {
        array = new IntArray(tasks * ROW);
        array.init(0);
    }

    IntArray array() {
        return array;
    }

    /** Writes a task's row. */
    void set(int task, Row row) {
        for (int i = 0; i < row.size; i++) {
            array.set(task * ROW + i, row.numbers[i]);
        }
    }

    /** A row in the making: fields in the order in which the struct has them. */
    static final class Row {
        private final int[] numbers = new int[ROW];
        private int size;

        Row(int op) {
            ints(op);
        }

        Row ints(int... fields) {
            for (int field : fields) {
                numbers[size++] = field;
            }
            return this;
        }

        Row real(float field) {
            return ints(Float.floatToRawIntBits(field));
        }

        Row view(View view) {
            return ints(view.at(), view.stride());
        }
    }
}
