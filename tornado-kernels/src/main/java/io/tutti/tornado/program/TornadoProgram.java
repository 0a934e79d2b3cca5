package io.tutti.tornado.program;

import io.tutti.engine.backend.DeviceException;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.host.Workers;
import io.tutti.kv.KvAttachment;
import io.tutti.kv.KvDeviceCopy;
import io.tutti.kv.KvPool;
import io.tutti.modelio.weights.WeightSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import uk.ac.manchester.tornado.api.DataRange;
import uk.ac.manchester.tornado.api.GridScheduler;
import uk.ac.manchester.tornado.api.TaskGraph;
import uk.ac.manchester.tornado.api.TornadoExecutionPlan;
import uk.ac.manchester.tornado.api.TornadoExecutionResult;
import uk.ac.manchester.tornado.api.enums.DataTransferMode;
import uk.ac.manchester.tornado.api.exceptions.TornadoExecutionPlanException;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/**
 * A graph as TornadoVM's task graphs, one for each {@link Section}: the layers' runs once a layer, with the layer's number
 * in a small array. What changes in a step goes up ahead of the first, the results come down after the last, and
 * everything in between stays on the device.
 *
 * <p>TornadoVM hands a device's buffers from the task graph that ran last to the next one, so each of them carries every array
 * that more than one uses. The first, which uploads the cache, brings them to life.
 */
final class TornadoProgram implements Program {

    /** Task graphs' names are keys of TornadoVM's. */
    private static final AtomicInteger PROGRAMS = new AtomicInteger();

    private static final int UPLOAD = 0;

    private final Graph graph;
    private final Target target;
    private final Kernels kernels;
    private final DeviceWeights weights;
    private final List<Stage> stages = new ArrayList<>();
    private final TornadoExecutionPlan plan;
    private final int[] expectedLaunches;
    private KvAttachment attachment;
    private TornadoExecutionResult result;
    private StepShape shape = StepShape.EMPTY;
    private boolean closed;
}
