package io.tutti.tornado;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.generate.GenerationListener;
import io.tutti.engine.generate.GenerationRequest;
import io.tutti.engine.generate.Generator;
import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.sample.ParallelFor;
import io.tutti.sample.SamplingParams;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
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
    /** By then every kernel is compiled and every buffer is there. */
    private static final int WARM = 100;

    @Test
    void aThousandGenerationsTakeNoMoreMemoryThanAHundred() throws Exception {
        Model model = new Model("tiny-llama");
        int[] prompt = Arrays.copyOf(model.prompts().getLast().tokens(), 8);
        GenerationRequest request = new GenerationRequest(
                prompt, 8, SamplingParams.greedy(), 0, List.of(), List.of(), false, Integer.MAX_VALUE);
        try (ModelRunner runner =
                OnDevice.load(model.dir(), EngineConfig.defaults().withKvBlocks(4))) {
            Generator generator = new Generator(runner, Optional.empty(), ParallelFor.SERIAL);
            int[] first = tokens(generator, request);
            SettledMemory warm = null;
            for (int i = 2; i <= GENERATIONS; i++) {
                assertThat(tokens(generator, request)).as("generation %d", i).isEqualTo(first);
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

    private static int[] tokens(Generator generator, GenerationRequest request) {
        return generator.generate(request, GenerationListener.NONE, () -> false).tokens();
    }

    private static long fivePercentMore(long bytes) {
        return bytes + bytes / 20;
    }
}
