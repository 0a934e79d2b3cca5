package io.tutti.cli;

import static io.tutti.cli.Run.TINY;
import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.cli.console.ExitCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What only a process of its own can show: signals, pipes and exit codes. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "Windows has no signals")
class ProcessTest {

    private static final int PATIENCE_SECONDS = 60;

    @TempDir
    private Path folder;

    /** A model whose text does not end for minutes. */
    private Path endless;

    private Process process;

    @BeforeEach
    void makeAnEndlessModel() throws IOException {
        endless = Files.createDirectory(folder.resolve("endless"));
        Files.copy(Path.of(TINY, "model.safetensors"), endless.resolve("model.safetensors"));
        String config = Files.readString(Path.of(TINY, "config.json"));
        Files.writeString(
                endless.resolve("config.json"),
                config.replace("\"max_position_embeddings\": 512", "\"max_position_embeddings\": 200000"));
    }

    @AfterEach
    void endTheProcess() {
        if (process != null) {
            process.destroyForcibly();
        }
    }

    private Process start(List<String> launcher, String... args) throws IOException {
        process = new ProcessBuilder(MainProcess.command(launcher, args)).start();
        return process;
    }

    private Process startEndless(List<String> launcher, String... more) throws IOException {
        List<String> args =
                new ArrayList<>(List.of("generate", endless.toString(), "--tokens", "65", "--max-tokens", "199999"));
        args.addAll(List.of(more));
        return start(launcher, args.toArray(String[]::new));
    }

    private void signal(String name) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    private int exitCode() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                .as("ends in time")
                .isTrue();
        return process.exitValue();
    }

    private String said() throws IOException {
        return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8)
                .replaceFirst("WARNING: Using incubator modules: jdk.incubator.vector\n", "");
    }

    @Test
    void aRequestToEndLeavesTheTextAndEndsTheLine() throws Exception {
        InputStream out = startEndless(List.of()).getInputStream();
        int first = out.read();
        signal("TERM");
        byte[] rest = out.readAllBytes();

        assertThat(exitCode()).isEqualTo(ExitCode.INTERRUPTED);
        assertThat(first).isPositive();
        assertThat(rest).endsWith((byte) '\n');
        assertThat(said()).doesNotContain("tutti:", "Exception");
    }

    @Test
    @EnabledOnOs(
            value = OS.LINUX,
            disabledReason = "needs env --default-signal: a build in the background ignores SIGINT")
    void controlCDoesTheSame() throws Exception {
        InputStream out = startEndless(List.of("env", "--default-signal=INT")).getInputStream();
        assertThat(out.read()).isPositive();
        signal("INT");
        assertThat(out.readAllBytes()).endsWith((byte) '\n');
        assertThat(exitCode()).isEqualTo(ExitCode.INTERRUPTED);
    }

    @Test
    void anInterruptedJsonRunPrintsNothing() throws Exception {
        startEndless(List.of(), "--json");
        String note = process.errorReader()
                .lines()
                .filter(line -> line.startsWith("device"))
                .findFirst()
                .orElse("");
        assertThat(note).startsWith("device host"); // The model has loaded, and the text is under way.
        signal("TERM");
        assertThat(process.getInputStream().readAllBytes()).isEmpty();
        assertThat(exitCode()).isEqualTo(ExitCode.INTERRUPTED);
    }

    @Test
    void aClosedPipeEndsTheRunQuietly() throws Exception {
        InputStream out = startEndless(List.of()).getInputStream();
        assertThat(out.read()).isPositive();
        out.close();
        assertThat(exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(said().lines()).hasSize(1).first().asString().startsWith("device host");
    }

    @Test
    void waitingForInputEndsAtOnce() throws Exception {
        start(List.of(), "generate", TINY, "--prompt-file", "-");
        process.getOutputStream().write("abc".getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
        TimeUnit.SECONDS.sleep(1); // Before it waits for input it has nothing to lose either.
        signal("TERM");
        assertThat(exitCode()).isIn(ExitCode.INTERRUPTED, 128 + 15); // The latter if it had not even begun.
        assertThat(process.getInputStream().readAllBytes()).isEmpty();
    }

    @Test
    void aPromptIsNotWaitedForWhereNobodyClosesTheInput() throws Exception {
        start(List.of(), "generate", TINY);
        assertThat(exitCode()).isEqualTo(ExitCode.BAD_USAGE);
        assertThat(said())
                .startsWith("tutti: no prompt is given, and nothing has come from standard input in 10 seconds")
                .containsOnlyOnce("\n");
    }

    @Test
    void exitCodesReachTheShell() throws Exception {
        start(List.of(), "inspect", folder.resolve("none").toString());
        assertThat(exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(said()).startsWith("tutti: ").containsOnlyOnce("\n");
        start(List.of(), "inspect");
        assertThat(exitCode()).isEqualTo(ExitCode.BAD_USAGE);
    }
}
