package io.tutti.tornado.program;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tutti.engine.backend.DeviceException;
import io.tutti.tornado.OnDevice;
import io.tutti.tornado.kernel.Grid;
import io.tutti.tornado.kernel.Touch;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import uk.ac.manchester.tornado.api.GridScheduler;
import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.TornadoExecutionPlan;
import uk.ac.manchester.tornado.api.TornadoExecutionResult;
import uk.ac.manchester.tornado.api.exceptions.TornadoExecutionPlanException;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/** Launches that TornadoVM passes over in silence are found out. */
class LaunchCountsTest {

    private static final int ITEMS = 64;

    private final KernelContext context = new KernelContext();
    private final IntArray counted = IntArray.fromElements(0, 0);
    private final FloatArray array = FloatArray.fromElements(1, 2);
    private final Launch first = launch(0);
    private final Launch second = launch(1);
    private final Stage stage =
            new Stage("counts", List.of(first, second), List.of(array), List.of(counted), List.of());
    private final TornadoExecutionPlan plan =
            new TornadoExecutionPlan(stage.taskGraph(null).snapshot());
    private final LaunchCounts counts = new LaunchCounts(counted);
    private TornadoExecutionResult last;

    LaunchCountsTest() {
        GridScheduler grids = new GridScheduler("counts.touch0", first.workers());
        grids.addWorkerGrid("counts.touch1", second.workers());
        plan.withDevice(OnDevice.target().device()).withGridScheduler(grids);
    }

    @AfterEach
    void close() throws TornadoExecutionPlanException {
        plan.close();
    }

    private Launch launch(int task) {
        String name = "touch" + task;
        return new Launch(
                name,
                task,
                graph -> graph.task(name, Touch::floats, context, counted, array, task),
                shape -> new Grid(ITEMS, 1, 1, ITEMS, 1, 1),
                List.of(array));
    }

    @Test
    void launchesThatRanAreFoundInOrderAfterEveryExecution() {
        for (int i = 0; i < 3; i++) {
            execute();
            assertThatCode(this::check).doesNotThrowAnyException();
        }
    }

    /** OpenCL refuses work-groups that do not divide the work-items, and TornadoVM keeps it to itself. */
    @Test
    void aLaunchThatTheDriverRefusedIsNamed() {
        assumeTrue(OnDevice.isPocl(), "other drivers may take such a launch");
        execute();
        second.workers().setLocalWork(ITEMS - 1, 1, 1);
        execute();
        assertThatThrownBy(this::check)
                .isInstanceOf(DeviceException.class)
                .hasMessage("device %s: kernel touch1 of counts ran 1 of 2 times; TornadoVM skipped it without an error"
                        .formatted(OnDevice.device().name()));
    }

    private void execute() {
        last = plan.withGraph(0).execute();
        counts.executed(stage);
    }

    private void check() {
        counts.check(List.of(stage), last, OnDevice.target().limits());
    }
}
