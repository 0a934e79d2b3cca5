package io.tutti.tornado.kernel;

import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/** Counts how often each task ran, on the device: TornadoVM may skip a launch and return as if nothing were wrong. */
final class Launches {

    private Launches() {}

    /** The launch's first work-item adds one to its task's count. Every kernel begins with this. */
    static void count(KernelContext context, IntArray launches, int task) {
        if ((context.globalIdx | context.globalIdy | context.globalIdz) == 0) {
            launches.set(task, launches.get(task) + 1);
        }
    }
}
