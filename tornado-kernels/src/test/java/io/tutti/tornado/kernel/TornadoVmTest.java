package io.tutti.tornado.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;
import uk.ac.manchester.tornado.api.GridScheduler;
import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.TaskGraph;
import uk.ac.manchester.tornado.api.TornadoExecutionPlan;
import uk.ac.manchester.tornado.api.WorkerGrid1D;
import uk.ac.manchester.tornado.api.enums.DataTransferMode;
import uk.ac.manchester.tornado.api.runtime.TornadoRuntimeProvider;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/** The build itself: the flags of the tests' JVM are those that TornadoVM needs, and there is a device to test on. */
class TornadoVmTest {
    private static final int ITEMS = 64;

    static void mark(KernelContext context, IntArray out) {
        out.set(context.globalIdx, out.get(context.globalIdx) + context.globalIdx);
    }

    @Test
    void thereIsADeviceToTestOn() {
        assertThatCode(TornadoRuntimeProvider::getTornadoRuntime)
                .as("No kernel was tested: TornadoVM reaches no device. Without a GPU, PoCL is one (pocl-opencl-icd)")
                .doesNotThrowAnyException();
        assertThat(TornadoRuntimeProvider.getTornadoRuntime().getBackend(0).getNumDevices())
                .isPositive();
    }

    @Test
    void aKernelRunsOnADevice() throws Exception {
        IntArray out = new IntArray(ITEMS);
        TaskGraph graph = new TaskGraph("graph")
                .transferToDevice(DataTransferMode.EVERY_EXECUTION, out)
                .task("mark", TornadoVmTest::mark, new KernelContext(), out)
                .transferToHost(DataTransferMode.EVERY_EXECUTION, out);

        try (TornadoExecutionPlan plan = new TornadoExecutionPlan(graph.snapshot())) {
            plan.withGridScheduler(new GridScheduler("graph.mark", new WorkerGrid1D(ITEMS)))
                    .execute();
        }

        assertThat(out.get(ITEMS - 1)).isEqualTo(ITEMS - 1);
    }
}
