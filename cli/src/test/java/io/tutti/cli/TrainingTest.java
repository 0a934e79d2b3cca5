package io.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class TrainingTest {

    /** The launcher says nothing of a training that fails; it starts more slowly for good. */
    @Test
    @Timeout(120)
    void itEndsAsTheCommandLineDoes() throws Exception {
        String model =
                Path.of(System.getProperty("tutti.golden"), "models", "demo").toString();
        List<String> command = MainProcess.command(List.of(), model, "inspect", model);
        command.set(command.indexOf(Main.class.getName()), Training.class.getName());
        command.remove("-XX:TieredStopAtLevel=1"); // Kernels need their compiler.
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said).contains("demo");
    }
}
