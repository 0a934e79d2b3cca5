package io.tutti.tornado;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tutti.engine.backend.DeviceException;
import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.tornado.config.JvmOptions;
import io.tutti.tornado.config.TornadoSdk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A driver with little memory, in a process of its own: PoCL reads how much there is to be when it starts. */
class PoclMemoryTest {

    /** PoCL gives at most a quarter of it to one buffer. */
    private static final String ONE_GIGABYTE = "1";
    /** 1.2 GB of cache for the demo model. */
    private static final int MANY_BLOCKS = 60_000;

    @BeforeEach
    void onlyPoclCanBeToldSo() {
        assumeTrue(OnDevice.isPocl(), "the device is none of PoCL's");
    }

    @Test
    void aCacheThatDoesNotFitIsRefusedBeforeAnyOfItIsAllocated() throws Exception {
        assertThat(loadInChild("asItIs"))
                .matches("device \\S+: \\d+ bytes are needed \\(weights \\d+, cache 1228800000, activations \\d+\\), "
                        + "1073741824 are there; smaller --kv-blocks or --chunk, or --quant int4:32, need less");
    }

    @Test
    void memoryThatTheDriverRefusesIsAFailureInOneLineAndTheProcessGoesOn() throws Exception {
        assertThat(loadInChild("thoughtLarger"))
                .matches("device \\S+ failed: Unable to allocate \\d+ bytes of memory\\.; "
                        + "smaller --kv-blocks or --chunk, or --quant int4:32, need less");
    }

    /** What the child says of a load that fails. */
    private static String loadInChild(String device) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--add-modules=jdk.incubator.vector");
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(JvmOptions.of(TornadoSdk.find().orElseThrow()));
        command.add("-Dtutti.golden=" + System.getProperty("tutti.golden"));
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(Load.class.getName());
        command.add(device);
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("POCL_MEMORY_LIMIT", ONE_GIGABYTE);
        Process child = builder.start();
        try {
            String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(child.waitFor(1, TimeUnit.MINUTES)).isTrue();
            assertThat(child.exitValue()).as(said).isZero();
            return said.strip();
        } finally {
            child.destroyForcibly();
        }
    }

    /** The child. */
    static final class Load {

        private Load() {}

        /** Loads a model that does not fit, says why not, and then one that does. */
        public static void main(String[] args) {
            ChangedDevice device = ChangedDevice.same();
            if (args[0].equals("thoughtLarger")) {
                device = device.withMemoryBytes(Long.MAX_VALUE).withBufferBytes(Integer.MAX_VALUE);
            }
            EngineConfig config = EngineConfig.defaults();
            try (ModelRunner runner = device.load(new Model("demo").dir(), config.withKvBlocks(MANY_BLOCKS))) {
                System.out.println("there is room for " + runner.pool().config());
            } catch (DeviceException e) {
                System.out.println(e.getMessage());
            }
            OnDevice.load(new Model("bigram").dir(), config).close();
        }
    }
}
