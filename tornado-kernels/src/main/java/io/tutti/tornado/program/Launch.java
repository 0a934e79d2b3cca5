package io.tutti.tornado.program;

import io.tutti.tornado.kernel.Grid;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import uk.ac.manchester.tornado.api.TaskGraph;
import uk.ac.manchester.tornado.api.WorkerGrid;
import uk.ac.manchester.tornado.api.WorkerGrid3D;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/** A kernel as a task of a task graph: which one, with which arguments, over how many work-items. */
final class Launch {

    private final String task;
    private final int count;
    private final UnaryOperator<TaskGraph> adder;
    private final Function<StepShape, Grid> geometry;
    private final List<TornadoNativeArray> inputs;
    private final WorkerGrid workers = new WorkerGrid3D(1, 1, 1);

    /**
     * @param task its name within its task graph
     * @param count its place in the counts of launches
     * @param adder adds it to the task graph
     * @param geometry its work-items in a step; at least one group, for every launch is counted
     * @param inputs the arrays that it reads, but for those that every kernel does
     */
    Launch(
            String task,
            int count,
            UnaryOperator<TaskGraph> adder,
            Function<StepShape, Grid> geometry,
            List<TornadoNativeArray> inputs) {
        this.task = task;
        this.count = count;
        this.adder = adder;
        this.geometry = geometry;
        this.inputs = List.copyOf(inputs);
        resize(StepShape.EMPTY);
    }

    /** A task's name: what it does, and its place in the counts. */
    static String name(String what, int count) {
        return what + count;
    }

    String task() {
        return task;
    }

    int count() {
        return count;
    }

    List<TornadoNativeArray> inputs() {
        return inputs;
    }

    TaskGraph addTo(TaskGraph graph) {
        return adder.apply(graph);
    }

    /** What TornadoVM asks for the sizes ahead of every launch. */
    WorkerGrid workers() {
        return workers;
    }

    /** Work-items of a work-group, which are the same in every step. */
    long groupItems() {
        return Arrays.stream(workers.getLocalWork()).reduce(1, (a, b) -> a * b);
    }

    /** Sets the sizes for a step; nothing is compiled again for it. */
    void resize(StepShape shape) {
        Grid grid = geometry.apply(shape);
        workers.setGlobalWork(grid.x(), grid.y(), grid.z());
        workers.setLocalWork(grid.localX(), grid.localY(), grid.localZ());
    }
}
