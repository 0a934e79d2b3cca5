package io.tutti.tornado.kernel;

import uk.ac.manchester.tornado.api.common.TaskPackage;

/** What can run a kernel: a JVM, or a device. */
interface KernelRunner {

    /**
     * Makes a kernel ready; a device compiles it. All arrays are read before each launch and written back after it.
     *
     * @param task a kernel and its arguments
     * @param written those arrays that the kernel writes and never reads
     */
    Launch prepare(TaskPackage task, Object... written);

    /** A kernel that is ready. */
    interface Launch extends AutoCloseable {
        void run(Grid grid);

        @Override
        default void close() {}
    }
}
