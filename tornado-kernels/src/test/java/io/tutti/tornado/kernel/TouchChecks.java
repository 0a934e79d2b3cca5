package io.tutti.tornado.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import uk.ac.manchester.tornado.api.common.TaskPackage;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.ShortArray;

/** What is touched stays as it is. */
final class TouchChecks {

    private static final short[] CACHE = {(short) 0xFE01, 2, 3};

    private TouchChecks() {}

    static Stream<Check> all() {
        return Stream.of(
                new Check("touch floats", TouchChecks::floats),
                new Check("touch f16", TouchChecks::f16),
                new Check("touch f32", TouchChecks::f32));
    }

    private static void floats(KernelRunner runner) {
        Workspace work = workspace();
        check(
                runner,
                work,
                new TaskPackage("touch", Touch::floats, work.context, work.launches, work.values, work.task));
    }

    private static void f16(KernelRunner runner) {
        Workspace work = workspace();
        ShortArray keys = ShortArray.fromArray(CACHE);
        ShortArray values = ShortArray.fromArray(CACHE);
        check(
                runner,
                work,
                new TaskPackage(
                        "touch", Touch::f16, work.context, work.launches, work.values, keys, values, work.task));
        assertThat(keys.toHeapArray()).isEqualTo(CACHE);
        assertThat(values.toHeapArray()).isEqualTo(CACHE);
    }

    private static void f32(KernelRunner runner) {
        Workspace work = workspace();
        float[] cache = {-1f, 2f, 3f};
        FloatArray keys = FloatArray.fromArray(cache);
        FloatArray values = FloatArray.fromArray(cache);
        check(
                runner,
                work,
                new TaskPackage(
                        "touch", Touch::f32, work.context, work.launches, work.values, keys, values, work.task));
        assertThat(keys.toHeapArray()).isEqualTo(cache);
        assertThat(values.toHeapArray()).isEqualTo(cache);
    }

    private static Workspace workspace() {
        Workspace work = new Workspace(1, 0, 3);
        work.set(0, -0f);
        return work;
    }

    private static void check(KernelRunner runner, Workspace work, TaskPackage task) {
        try (KernelRunner.Launch launch = runner.prepare(task)) {
            work.check(launch, Touch.grid(), "values");
        }
    }
}
