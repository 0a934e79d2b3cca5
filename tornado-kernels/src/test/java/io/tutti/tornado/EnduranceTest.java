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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A process that serves for long does not grow. The collector is the launcher's: others give heap back and take it again. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "resident memory is read from /proc")
class EnduranceTest {

    private static final int GENERATIONS = 1_000;
    /** By then every kernel is compiled and every buffer is there. */
    private static final int WARM = 100;

    @Test
    void aThousandGenerationsTakeNoMoreMemoryThanAHundred() throws IOException {
        Model model = new Model("tiny-llama");
        int[] prompt = Arrays.copyOf(model.prompts().getLast().tokens(), 8);
        GenerationRequest request = new GenerationRequest(
                prompt, 8, SamplingParams.greedy(), 0, List.of(), List.of(), false, Integer.MAX_VALUE);
        long warm = 0;
        try (ModelRunner runner =
                OnDevice.load(model.dir(), EngineConfig.defaults().withKvBlocks(4))) {
            Generator generator = new Generator(runner, Optional.empty(), ParallelFor.SERIAL);
            int[] first = null;
            for (int i = 1; i <= GENERATIONS; i++) {
                int[] tokens = generator
                        .generate(request, GenerationListener.NONE, () -> false)
                        .tokens();
                first = first == null ? tokens : first;
                assertThat(tokens).as("generation %d", i).isEqualTo(first);
                if (i == WARM) {
                    warm = residentKibibytes();
                }
            }
        }
        assertThat(residentKibibytes()).isLessThanOrEqualTo(warm * 105 / 100);
    }

    private static long residentKibibytes() throws IOException {

        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            String line = lines.filter(l -> l.startsWith("VmRSS:")).findFirst().orElseThrow();
            return Long.parseLong(line.replaceAll("\\D", ""));
        }
    }
}
