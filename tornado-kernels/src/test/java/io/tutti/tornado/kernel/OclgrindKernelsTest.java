package io.tutti.tornado.kernel;

import io.tutti.tornado.opencl.Oclgrind;
import io.tutti.tornado.opencl.VirtualDevice;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every kernel's generated code has the reference's bits on Oclgrind, without one report of it. */
class OclgrindKernelsTest {

    private static Oclgrind oclgrind;

    @BeforeAll
    static void start() {
        oclgrind = Oclgrind.startOrSkip();
    }

    @AfterAll
    static void stop() {
        if (oclgrind != null) {
            oclgrind.close();
        }
    }

    @TestFactory
    Stream<DynamicTest> kernelsHaveTheReferencesBitsOnOclgrindWithoutAReport() {
        OclgrindRunner runner = new OclgrindRunner(new VirtualDevice(), oclgrind);
        return Check.all()
                .filter(check -> !check.large())
                .map(check ->
                        DynamicTest.dynamicTest(check.name(), () -> check.body().accept(runner)));
    }

    @TestFactory
    Stream<DynamicTest> theKernelInOpenClCHasTheReferencesBitsOnOclgrindWithoutAReport() {
        ClRunner.Device device =
                (arrays, task) -> OclgrindRunner.prepare(oclgrind, ClSource.text(), arrays, List.of(task));
        ClRunner runner = new ClRunner(device);
        return Stream.of(
                        Check.inOpenClC()
                                .filter(check -> !check.large())
                                .map(check -> DynamicTest.dynamicTest(
                                        check.name(), () -> check.body().accept(runner))),
                        ClFusedChecks.all(device),
                        ClInt8Checks.all(device))
                .flatMap(tests -> tests);
    }
}
