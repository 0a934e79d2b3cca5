package io.tutti.tornado;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.golden.Runs;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ModelRunner;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * A process that serves for long does not grow. A generation here is some 170 kernels, so 5 % more memory would be some
 * 50 bytes for each, where an OpenCL driver's event takes hundreds.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "resident memory is read from /proc")
class EnduranceTest {

    private static final int GENERATIONS = 1_000;

    private static final int NEW_TOKENS = 8;
    /** By then every kernel is compiled and every buffer is there. */
    private static final int WARM = 100;

    @Test
    void aThousandGenerationsTakeNoMoreMemoryThanAHundred() throws Exception {
        Model model = new Model("tiny-llama");
        int[] prompt = Arrays.copyOf(model.prompts().getLast().tokens(), 8);
        try (ModelRunner runner =
                OnDevice.load(model.dir(), EngineConfig.defaults().withKvBlocks(4))) {
            int[] first = Runs.greedy(runner, prompt, NEW_TOKENS);
            SettledMemory warm = null;
            for (int i = 2; i <= GENERATIONS; i++) {
                assertThat(Runs.greedy(runner, prompt, NEW_TOKENS))
                        .as("generation %d", i)
                        .isEqualTo(first);
                if (i == WARM) {
                    SettledMemory.touchYoungObjects();
                    warm = SettledMemory.measure();
                }
            }
            SettledMemory last = SettledMemory.measure();
            assertThat(last.residentBytes()).as("resident").isLessThanOrEqualTo(fivePercentMore(warm.residentBytes()));
            assertThat(last.objectBytes()).as("objects").isLessThanOrEqualTo(fivePercentMore(warm.objectBytes()));
        }
    }

    private static long fivePercentMore(long bytes) {
        return bytes + bytes / 20;
    }
}
