package io.tutti.tornado.kernel;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.tornado.opencl.Oclgrind;
import io.tutti.tornado.opencl.VirtualDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.common.TaskPackage;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/** A kernel of Java that has a fault fails its check on Oclgrind, whatever it computes. */
class OclgrindRunnerTest {

    private Oclgrind oclgrind;

    static void mark(KernelContext context, IntArray marks, int shift, int mask) {
        marks.set((context.globalIdx & mask) + shift, 1);
    }

    @BeforeEach
    void start() {
        oclgrind = Oclgrind.startOrSkip();
    }

    @AfterEach
    void stop() {
        if (oclgrind != null) {
            oclgrind.close();
        }
    }

    @Test
    void faultsOfJavaKernelsFailTheirChecks() {
        assertThatCode(() -> mark(0, 7)).doesNotThrowAnyException();
        assertThatThrownBy(() -> mark(1, 7)).hasMessageContaining("Invalid write");
        stop();
        start();
        assertThatThrownBy(() -> mark(0, 6)).hasMessageContaining("data race");
    }

    private void mark(int shift, int mask) {
        OclgrindRunner runner = new OclgrindRunner(new VirtualDevice(), oclgrind);
        IntArray marks = new IntArray(8);
        marks.init(0);
        TaskPackage task = new TaskPackage("mark", OclgrindRunnerTest::mark, new KernelContext(), marks, shift, mask);
        try (KernelRunner.Launch launch = runner.prepare(task)) {
            launch.run(new Grid(8, 1, 1, 8, 1, 1));
        }
    }
}
