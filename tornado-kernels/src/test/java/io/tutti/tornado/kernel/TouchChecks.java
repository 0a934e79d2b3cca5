package io.tutti.tornado.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import uk.ac.manchester.tornado.api.common.TaskPackage;
import uk.ac.manchester.tornado.api.types.arrays.ShortArray;

/** What is touched stays as it is. */
final class TouchChecks {

    private TouchChecks() {}

    static Stream<Check> all() {
        return Stream.of(
                new Check("touch floats", TouchChecks::floats), new Check("touch halves", TouchChecks::halves));
    }

    private static void floats(KernelRunner runner) {
        Workspace work = new Workspace(1, 0, 3);
        work.set(0, -0f);
        TaskPackage task = new TaskPackage("touch", Touch::floats, work.context, work.launches, work.values, work.task);
        try (KernelRunner.Launch launch = runner.prepare(task)) {
            work.check(launch, Touch.grid(), "values");
        }
    }

    private static void halves(KernelRunner runner) {
        Workspace work = new Workspace(1, 0, 1);
        short[] halves = {(short) 0xFE01, 2, 3};
        ShortArray array = ShortArray.fromArray(halves);
        TaskPackage task = new TaskPackage("touch", Touch::halves, work.context, work.launches, array, work.task);
        try (KernelRunner.Launch launch = runner.prepare(task)) {
            work.run(launch, Touch.grid());
            assertThat(array.toHeapArray()).isEqualTo(halves);
        }
    }
}
