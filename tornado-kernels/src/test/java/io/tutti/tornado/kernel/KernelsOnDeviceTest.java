package io.tutti.tornado.kernel;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import uk.ac.manchester.tornado.api.common.TaskPackage;

/** Every kernel has the reference's bits on TornadoVM's default device. */
class KernelsOnDeviceTest {

    @TestFactory
    Stream<DynamicTest> kernelsHaveTheReferencesBitsOnTheDevice() {
        DeviceRunner device = new DeviceRunner();
        return Check.all()
                .map(check ->
                        DynamicTest.dynamicTest(check.name(), () -> check.body().accept(device)));
    }

    @TestFactory
    Stream<DynamicTest> theKernelInOpenClCHasTheReferencesBitsOnTheDevice() {
        ClRunner device = new ClRunner(ClOnDevice::prepare);
        return Stream.of(
                        Check.inOpenClC()
                                .map(check -> DynamicTest.dynamicTest(
                                        check.name(), () -> check.body().accept(device))),
                        ClFusedChecks.all(ClOnDevice::prepare),
                        ClInt8Checks.all(ClOnDevice::prepare))
                .flatMap(tests -> tests);
    }

    @Test
    void aLaunchThatTheDeviceRefusesIsFoundByItsCount() {
        Workspace work = new Workspace(1, 0, 64);
        TaskPackage add = new TaskPackage(
                "add",
                Elementwise::add,
                work.context,
                work.step,
                work.launches,
                work.values,
                StepLayout.TOKENS,
                1,
                0,
                1,
                2,
                1,
                work.task);
        try (DeviceRunner.DeviceLaunch launch = new DeviceRunner().prepare(add)) {
            // OpenCL refuses groups that do not divide the whole; TornadoVM returns as if all were well.
            assertThatThrownBy(() -> work.run(_ -> launch.run(65, 1, 1, 64, 1, 1), Elementwise.grid(1, 1)))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("launches of each task");
        }
    }
}
