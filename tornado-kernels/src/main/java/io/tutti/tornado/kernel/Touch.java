package io.tutti.tornado.kernel;

import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;
import uk.ac.manchester.tornado.api.types.arrays.ShortArray;

/**
 * Reads and rewrites the first number of each array it is given. TornadoVM uploads an array for the first task that uses it,
 * and only if that task reads it; this is a task to do so, whatever the tasks after it do.
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

    /** An array of f32 numbers, and a cache of f16. */
    public static void f16(
            KernelContext context,
            IntArray launches,
            FloatArray array,
            ShortArray keyCache,
            ShortArray valueCache,
            int task) {
        Launches.count(context, launches, task);
        array.set(0, array.get(0));
        keyCache.set(0, keyCache.get(0));
        valueCache.set(0, valueCache.get(0));
    }

    /** An array of f32 numbers, and a cache of f32. */
    public static void f32(
            KernelContext context,
            IntArray launches,
            FloatArray array,
            FloatArray keyCache,
            FloatArray valueCache,
            int task) {
        Launches.count(context, launches, task);
        array.set(0, array.get(0));
        keyCache.set(0, keyCache.get(0));
        valueCache.set(0, valueCache.get(0));
    }
}
