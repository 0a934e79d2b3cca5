package io.tutti.tornado.program;

import java.util.List;
import uk.ac.manchester.tornado.api.TornadoExecutionResult;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/**
 * Proof that every launch ran where it should: TornadoVM may skip one, or run it elsewhere, and say nothing. Kernels count
 * their launches on the device, this counts them on the host.
 */
final class LaunchCounts {

    private final IntArray counted;
    private final int[] expected;

    /** @param counted what kernels count in, zeros at first */
    LaunchCounts(IntArray counted) {
        this.counted = counted;
        expected = new int[counted.getSize()];
    }

    /** Says that a stage was executed once more. */
    void executed(Stage stage) {
        for (Launch launch : stage.launches()) {
            expected[launch.count()]++;
        }
    }

    /**
     * Compares.
     *
     * @param last of the last execution, through which the device's counts come down
     * @throws io.tutti.engine.backend.DeviceException naming the first kernel that did not run as often as it should
     */
    void check(List<Stage> stages, TornadoExecutionResult last, DeviceLimits limits) {
        last.transferToHost(counted);
        for (Stage stage : stages) {
            for (Launch launch : stage.launches()) {
                int count = counted.get(launch.count());
                if (count != expected[launch.count()]) {
                    throw limits.refusal("kernel %s of %s ran %d of %d times; TornadoVM skipped it without an error"
                            .formatted(launch.task(), stage.name(), count, expected[launch.count()]));
                }
            }
        }
    }
}
