package io.tutti.tornado;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.tornado.config.JvmOptions;
import io.tutti.tornado.config.KernelText;
import io.tutti.tornado.config.TornadoSdk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the order of a kernel's declarations follows from is the same from process to process. */
class KernelTextTest {

    @Test
    void theKindsOfVariablesHaveTheSameHashesInEveryProcess() throws Exception {
        String first = hashesInChild();
        assertThat(first).isNotBlank().isEqualTo(hashesInChild());
    }

    private static String hashesInChild() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JvmOptions.of(TornadoSdk.find().orElseThrow()));
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(Hashes.class.getName());
        Process child = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(child.waitFor()).as(said).isZero();
        return said;
    }

    /** The child. */
    static final class Hashes {

        private Hashes() {}

        public static void main(String[] args) throws ClassNotFoundException {
            KernelText.settle();
            Class<?> kinds = Class.forName("uk.ac.manchester.tornado.drivers.opencl.graal.lir.OCLKind");
            System.out.println(Arrays.stream(kinds.getEnumConstants())
                    .map(System::identityHashCode)
                    .toList());
        }
    }
}
