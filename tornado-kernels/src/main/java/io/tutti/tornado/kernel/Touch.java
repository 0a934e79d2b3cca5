package io.tutti.tornado.kernel;

import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;
import uk.ac.manchester.tornado.api.types.arrays.ShortArray;

/**
 * Reads and rewrites the first number of an array. TornadoVM uploads an array for the first task that uses it, and only if
 * that task reads it; this is a task to do so, whatever the tasks after it do.
 */
public final class Touch {

    private Touch() {}

    /** One work-item. */
    public static Grid grid() {
        return new Grid(1, 1, 1, 1, 1, 1);
    }

    /** An array of f32 numbers. */
    public static void floats(KernelContext context, IntArray launches, FloatArray array, int task) {
        Launches.count(context, launches, task);
        array.set(0, array.get(0));
    }

    /** An array of 16-bit numbers. */
    public static void halves(KernelContext context, IntArray launches, ShortArray array, int task) {
        Launches.count(context, launches, task);
        array.set(0, array.get(0));
    }
}
