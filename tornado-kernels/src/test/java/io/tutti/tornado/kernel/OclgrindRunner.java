package io.tutti.tornado.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.tornado.opencl.Oclgrind;
import io.tutti.tornado.opencl.VirtualDevice;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import uk.ac.manchester.tornado.api.common.TaskPackage;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/** Runs the OpenCL C that TornadoVM makes of kernels on Oclgrind, which must have nothing to report. */
final class OclgrindRunner implements KernelRunner {

    private final VirtualDevice compiler;
    private final Oclgrind oclgrind;

    OclgrindRunner(VirtualDevice compiler, Oclgrind oclgrind) {
        this.compiler = compiler;
        this.oclgrind = oclgrind;
    }

    @Override
    public Launch prepare(TaskPackage task, Object... written) {
        Object[] arguments = task.getTaskParameters();
        List<TornadoNativeArray> arrays = Arrays.stream(arguments)
                .filter(TornadoNativeArray.class::isInstance)
                .map(TornadoNativeArray.class::cast)
                .toList();
        List<Object> scalars = Arrays.stream(arguments)
                .filter(argument -> argument instanceof Integer || argument instanceof Float)
                .toList();
        return prepare(oclgrind, compiler.source(task), arrays, scalars);
    }

    /** The one kernel in some OpenCL C. */
    static Launch prepare(
            Oclgrind oclgrind, String source, List<? extends TornadoNativeArray> arrays, List<Object> scalars) {
        List<MemorySegment> segments =
                arrays.stream().map(TornadoNativeArray::getSegmentWithHeader).toList();
        Oclgrind.Kernel kernel = oclgrind.build(source, segments, scalars);
        return new Launch() {
            @Override
            public void run(Grid grid) {
                kernel.run(grid);
                assertThat(oclgrind.messages()).as("what Oclgrind reports").isEmpty();
            }

            @Override
            public void close() {
                kernel.close();
            }
        };
    }
}
