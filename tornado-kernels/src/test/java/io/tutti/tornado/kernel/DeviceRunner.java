package io.tutti.tornado.kernel;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import uk.ac.manchester.tornado.api.GridScheduler;
import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.TaskGraph;
import uk.ac.manchester.tornado.api.TornadoExecutionPlan;
import uk.ac.manchester.tornado.api.WorkerGrid;
import uk.ac.manchester.tornado.api.WorkerGrid3D;
import uk.ac.manchester.tornado.api.common.TaskPackage;
import uk.ac.manchester.tornado.api.enums.DataTransferMode;
import uk.ac.manchester.tornado.api.exceptions.TornadoExecutionPlanException;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.ShortArray;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/** Runs kernels on TornadoVM's default device, each as a graph of its own. */
final class DeviceRunner implements KernelRunner {

    private static final AtomicInteger GRAPHS = new AtomicInteger();

    @Override
    public DeviceLaunch prepare(TaskPackage task, Object... written) {
        Object[] arrays = Arrays.stream(task.getTaskParameters())
                .filter(TornadoNativeArray.class::isInstance)
                .distinct()
                .toArray();
        String name = "graph" + GRAPHS.getAndIncrement();
        TaskGraph graph = new TaskGraph(name).transferToDevice(DataTransferMode.EVERY_EXECUTION, arrays);
        GridScheduler grids = new GridScheduler();
        // TornadoVM would never upload these, and bring back garbage wherever the kernel wrote nothing.
        for (int i = 0; i < written.length; i++) {
            String touch = "touch" + i;
            switch (written[i]) {
                case FloatArray floats -> graph.task(touch, DeviceRunner::touchFloats, new KernelContext(), floats);
                case ShortArray shorts -> graph.task(touch, DeviceRunner::touchShorts, new KernelContext(), shorts);
                default ->
                    throw new IllegalArgumentException(written[i].getClass().getName());
            }
            grids.addWorkerGrid(name + "." + touch, worker(new Grid(1, 1, 1, 1, 1, 1)));
        }
        WorkerGrid worker = worker(new Grid(1, 1, 1, 1, 1, 1));
        grids.addWorkerGrid(name + "." + task.getId(), worker);
        graph.addTask(task).transferToHost(DataTransferMode.EVERY_EXECUTION, arrays);
        TornadoExecutionPlan plan = new TornadoExecutionPlan(graph.snapshot());
        plan.withGridScheduler(grids);
        return new DeviceLaunch(plan, worker);
    }

    /** A graph of one kernel. */
    record DeviceLaunch(TornadoExecutionPlan plan, WorkerGrid worker) implements Launch {

        @Override
        public void run(Grid grid) {
            run(grid.x(), grid.y(), grid.z(), grid.localX(), grid.localY(), grid.localZ());
        }

        /** With any sizes at all, also such as a {@link Grid} would refuse. */
        void run(int x, int y, int z, int localX, int localY, int localZ) {
            worker.setGlobalWork(x, y, z);
            worker.setLocalWork(localX, localY, localZ);
            plan.execute();
        }

        @Override
        public void close() {
            try {
                plan.close();
            } catch (TornadoExecutionPlanException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static WorkerGrid worker(Grid grid) {
        WorkerGrid worker = new WorkerGrid3D(grid.x(), grid.y(), grid.z());
        worker.setLocalWork(grid.localX(), grid.localY(), grid.localZ());
        return worker;
    }

    static void touchFloats(KernelContext context, FloatArray array) {
        array.set(context.globalIdx, array.get(context.globalIdx));
    }

    static void touchShorts(KernelContext context, ShortArray array) {
        array.set(context.globalIdx, array.get(context.globalIdx));
    }
}
