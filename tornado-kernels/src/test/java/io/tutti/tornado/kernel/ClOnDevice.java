package io.tutti.tornado.kernel;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import uk.ac.manchester.tornado.api.AccessorParameters;
import uk.ac.manchester.tornado.api.GridScheduler;
import uk.ac.manchester.tornado.api.TaskGraph;
import uk.ac.manchester.tornado.api.TornadoExecutionPlan;
import uk.ac.manchester.tornado.api.WorkerGrid;
import uk.ac.manchester.tornado.api.WorkerGrid3D;
import uk.ac.manchester.tornado.api.common.Access;
import uk.ac.manchester.tornado.api.enums.DataTransferMode;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/** Runs the kernel in OpenCL C on TornadoVM's default device, each launch a graph of its own. */
final class ClOnDevice {

    private static final AtomicInteger GRAPHS = new AtomicInteger();

    private ClOnDevice() {}

    static DeviceRunner.DeviceLaunch prepare(List<TornadoNativeArray> arrays, int task) {
        String name = "cl" + GRAPHS.getAndIncrement();
        AccessorParameters parameters = new AccessorParameters(arrays.size() + 1);
        // The table stands in for arrays that an op has not: TornadoVM would wait forever for a task that reads and
        // writes an
        // array twice.
        TornadoNativeArray table = arrays.getFirst();
        for (int i = 0; i < arrays.size(); i++) {
            TornadoNativeArray array = arrays.get(i);
            parameters.set(i, array, array.equals(table) ? Access.READ_ONLY : Access.READ_WRITE);
        }
        parameters.set(arrays.size(), task, Access.READ_ONLY);
        Set<TornadoNativeArray> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
        distinct.addAll(arrays);
        TaskGraph graph = new TaskGraph(name)
                .transferToDevice(DataTransferMode.EVERY_EXECUTION, distinct.toArray())
                .prebuiltTask("run", ClSource.KERNEL, ClSource.file(), parameters)
                .transferToHost(DataTransferMode.EVERY_EXECUTION, distinct.toArray());
        WorkerGrid worker = new WorkerGrid3D(1, 1, 1);
        worker.setLocalWork(1, 1, 1);
        TornadoExecutionPlan plan = new TornadoExecutionPlan(graph.snapshot());
        plan.withGridScheduler(new GridScheduler(name + ".run", worker));
        return new DeviceRunner.DeviceLaunch(plan, worker);
    }
}
