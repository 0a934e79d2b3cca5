package io.tutti.tornado.program;

import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.RopeParameters;
import io.tutti.tornado.kernel.Tables;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/** The arrays that all kernels of a program work on, and their tasks' places in the counts of launches. */
final class Workspace {

    /** More than any model has launches. */
    static final int MOST_TASKS = 4096;

    private final DeviceLimits device;
    private final ProgramLimits limits;
    private final CacheArrays cache;
    private final KernelContext context = new KernelContext();
    private final StepArray step;
    /** The layer within its section, and where its part of the cache begins. */
    private final IntArray layer = new IntArray(2);

    private final IntArray launches = new IntArray(MOST_TASKS);
    private final FloatArray values;
    private final FloatArray tables;
    private final Map<RopeParameters, RopeAngles> angles = new LinkedHashMap<>();
    private int tasks;

    /** @param numbers how many numbers the activations are */
    Workspace(DeviceLimits device, ProgramLimits limits, Mapping mapping, long numbers, CacheArrays cache) {
        this.device = device;
        this.limits = limits;
        this.cache = cache;
        step = new StepArray(limits, cache.config().blockTokens());
        layer.init(0);
        launches.init(0);
        values = new FloatArray(Math.toIntExact(numbers));
        tables = Tables.make(mapping.tables());
    }

    /** What TornadoVM fills in for each work-item. */
    KernelContext context() {
        return context;
    }

    IntArray step() {
        return step.array();
    }

    IntArray layer() {
        return layer;
    }

    /** How often each task ran, counted on the device. */
    IntArray launches() {
        return launches;
    }

    FloatArray values() {
        return values;
    }

    FloatArray tables() {
        return tables;
    }

    CacheArrays cache() {
        return cache;
    }

    int maxTokens() {
        return limits.maxTokens();
    }

    /**
     * A place in {@link #launches()} for one more task.
     *
     * @throws io.tutti.engine.backend.DeviceException if none is left; a kernel would count beyond the array's end
     */
    int nextTask() {
        if (tasks == MOST_TASKS) {
            throw device.refusal("the model takes more than %d launches of kernels".formatted(MOST_TASKS));
        }
        return tasks++;
    }

    /** The angles of rotations with these parameters; they go up with each step. */
    RopeAngles angles(RopeParameters rope) {
        return angles.computeIfAbsent(rope, r -> new RopeAngles(r, limits.maxTokens()));
    }

    /** What goes up with each step beside {@link #step()}. */
    List<FloatArray> stepTables() {
        return angles.values().stream().map(RopeAngles::array).toList();
    }

    /** Writes a step's numbers to the arrays that go up with it. */
    StepShape fill(StepInputs inputs) {
        angles.values().forEach(a -> a.fill(inputs));
        return step.fill(inputs);
    }

    /** Sets the layer whose turn it is: the {@code index}-th of a section that begins with layer {@code first}. */
    void setLayer(int first, int index) {
        layer.set(0, index);
        layer.set(1, cache.offset(first + index));
    }

    /** Says that ops outside the layers have their turn. */
    void setNoLayer() {
        layer.set(0, 0);
        layer.set(1, 0);
    }
}
