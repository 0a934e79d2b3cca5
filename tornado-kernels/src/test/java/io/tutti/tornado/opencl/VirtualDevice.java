package io.tutti.tornado.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tutti.tornado.config.BackendKind;
import io.tutti.tornado.config.TornadoSdk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import uk.ac.manchester.tornado.api.GridScheduler;
import uk.ac.manchester.tornado.api.TaskGraph;
import uk.ac.manchester.tornado.api.TornadoExecutionPlan;
import uk.ac.manchester.tornado.api.WorkerGrid3D;
import uk.ac.manchester.tornado.api.common.TaskPackage;
import uk.ac.manchester.tornado.api.common.TornadoDevice;
import uk.ac.manchester.tornado.api.enums.DataTransferMode;
import uk.ac.manchester.tornado.api.enums.TornadoVMBackendType;
import uk.ac.manchester.tornado.api.exceptions.TornadoExecutionPlanException;
import uk.ac.manchester.tornado.api.runtime.TornadoRuntimeProvider;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/**
 * A GPU that is not there: TornadoVM generates OpenCL C for it, and runs nothing. PoCL is given the same code, but for the
 * order of declarations. TornadoVM is told once, when its classes load, so a JVM has this device or real ones.
 */
public final class VirtualDevice {

    private static final String GRAPH = "graph";

    private static final Path DUMP = dump();

    /** Makes it this JVM's only device. The test is skipped if the SDK has no OpenCL backend to generate code. */
    public VirtualDevice() {
        assumeTrue(
                TornadoSdk.find().orElseThrow().kernelBackends().contains(BackendKind.OPENCL),
                "this SDK generates no OpenCL C");
        assertThat(device().getPhysicalDevice().getDeviceName()).isEqualTo("virtual-gpu");
    }

    /** The file that code is written to. */
    private static Path dump() {
        try {
            Path dump = Files.createTempFile("kernels", ".cl");
            dump.toFile().deleteOnExit();
            Path description =
                    Path.of(VirtualDevice.class.getResource("/virtual-gpu.json").toURI());
            System.setProperty("tornado.virtual.device", "True");
            System.setProperty("tornado.device.desc", description.toString());
            System.setProperty("tornado.printKernel", "True");
            System.setProperty("tornado.print.kernel.dir", dump.toString());
            return dump;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /** As TornadoVM has it. */
    public TornadoDevice device() {
        return TornadoRuntimeProvider.getTornadoRuntime().getBackend(backend()).getDevice(0);
    }

    private static int backend() {
        var runtime = TornadoRuntimeProvider.getTornadoRuntime();
        int backend = 0;
        while (runtime.getBackendType(backend) != TornadoVMBackendType.OPENCL) {
            backend++;
        }
        return backend;
    }

    /** The code of one task. */
    public String source(TaskPackage task) {
        Object[] arrays = Arrays.stream(task.getTaskParameters())
                .filter(TornadoNativeArray.class::isInstance)
                .distinct()
                .toArray();
        TaskGraph graph = new TaskGraph(GRAPH)
                .transferToDevice(DataTransferMode.EVERY_EXECUTION, arrays)
                .addTask(task)
                .transferToHost(DataTransferMode.EVERY_EXECUTION, arrays);
        return generatedBy(() -> {
            try (TornadoExecutionPlan plan = new TornadoExecutionPlan(graph.snapshot())) {
                plan.withDevice(device())
                        .withGridScheduler(new GridScheduler(GRAPH + "." + task.getId(), new WorkerGrid3D(1, 1, 1)))
                        .withPreCompilation();
            } catch (TornadoExecutionPlanException e) {
                throw new AssertionError(e);
            }
        });
    }

    /** The code of all tasks that {@code work} has compiled, one behind the other. */
    public String generatedBy(Runnable work) {
        try {
            Files.writeString(DUMP, "");
            work.run();
            String sources = Files.readString(DUMP);
            assertThat(sources).as("generated code").contains("__kernel");
            return sources;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
