package io.tutti.cli;

import static io.tutti.cli.Run.TINY;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tutti.cli.console.ExitCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code tutti keep}, and the commands that use what it keeps, each in a process of its own. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "keep needs files with owners")
@Timeout(180)
class KeepTest {

    /** Tokens that take some seconds, since vectors are slow in the JVM of these processes. */
    private static final int LONG = 300;

    private static final Pattern PROCESS = Pattern.compile("process (\\d+)");

    @TempDir
    private Path folder;

    private final List<Process> started = new ArrayList<>();

    private Path model;

    /** One whose context is longer, so that a text takes a while. */
    @BeforeEach
    void layOutAModel() throws IOException {
        model = Files.createDirectory(folder.resolve("model"));
        Files.copy(Path.of(TINY, "model.safetensors"), model.resolve("model.safetensors"));
        String config = Files.readString(Path.of(TINY, "config.json"));
        Files.writeString(
                model.resolve("config.json"),
                config.replace("\"max_position_embeddings\": 512", "\"max_position_embeddings\": 200000"));
    }

    @AfterEach
    void endAll() throws Exception {
        run("keep", "--stop");
        started.forEach(Process::destroyForcibly);
    }

    private Process start(String... args) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(MainProcess.command(List.of(), args));
        builder.environment().put("XDG_STATE_HOME", folder.resolve("state").toString());
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private Run run(String... args) throws IOException, InterruptedException {
        return finish(start(args), "");
    }

    private Run run(List<String> args, String... more) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(args);
        all.addAll(Arrays.asList(more));
        return run(all.toArray(String[]::new));
    }

    /** Both outputs are short enough for a pipe, or the first is read first. */
    private static Run finish(Process process, String read) throws IOException, InterruptedException {
        process.getOutputStream().close();
        String out = read + new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8)
                .replace("WARNING: Using incubator modules: jdk.incubator.vector\n", "");
        return new Run(process.waitFor(), out, err);
    }

    private long keep(String... options) throws IOException, InterruptedException {
        Run run = run(List.of("keep", model.toString()), options);
        assertThat(run.err()).as(run.err()).contains("kept: " + model.toRealPath() + ": process ");
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        return pid(run.err().lines().reduce("", (_, last) -> last));
    }

    private static long pid(String line) {
        Matcher process = PROCESS.matcher(line);
        assertThat(process.find()).as(line).isTrue();
        return Long.parseLong(process.group(1));
    }

    private static void signal(String name, long pid) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + name, String.valueOf(pid))
                        .start()
                        .waitFor())
                .isZero();
    }

    private static void awaitEnd(long pid) throws Exception {
        ProcessHandle.of(pid)
                .ifPresent(process ->
                        process.onExit().orTimeout(60, TimeUnit.SECONDS).join());
    }

    private List<String> text(int tokens) {
        return List.of(
                "generate",
                model.toString(),
                "--tokens",
                "65,66,67,68,69",
                "--max-tokens",
                String.valueOf(tokens),
                "--temperature",
                "0.9",
                "--seed",
                "18446744073709551615",
                "--ignore-eos");
    }

    private static ObjectNode result(Run run) throws IOException {
        ObjectNode json = (ObjectNode) new ObjectMapper().readTree(run.out());
        json.remove(List.of("load_s", "prefill_tok_s", "decode_tok_s", "first_token_s", "peak_rss_mb"));
        return json;
    }

    @Test
    void aKeptModelGivesTheBitsOfOneThatTheRunLoads() throws Exception {
        long pid = keep("--idle", "1h");
        String note = "the model is kept loaded by process " + pid;

        Run alone = run(text(40), "--json", "--alone");
        assertThat(alone.err()).doesNotContain("kept");
        for (int turn = 0; turn < 2; turn++) { // the second finds its prompt in the cache
            Run kept = run(text(40), "--json", "--chunk", "2");
            assertThat(result(kept)).isEqualTo(result(alone));
            assertThat(kept.err())
                    .startsWith("device host")
                    .contains(note + "\n")
                    .doesNotContain("loaded in");
        }
        assertThat(run(text(40)).out()).isEqualTo(run(text(40), "--alone").out());
        Run another = run(text(40), "--kv", "f32");
        assertThat(another.err()).contains("the kept model is not used: it has --kv f16 --threads ");
        assertThat(another.exitCode()).isEqualTo(ExitCode.DONE);
        Run longer = run(text(40), "--context", "100");
        assertThat(longer.err()).contains("the kept model is not used: it has another --context");
        assertThat(run("keep").out()).startsWith(model.toRealPath() + ": process " + pid + ", host, --kv f16");
    }

    @Test
    void aChatWithAKeptModelIsTheSameChat() throws Exception {
        model = ChatModel.write(folder.resolve("chat"), 1024);
        keep();
        for (String input : List.of("w\nx\n/stats\n", "A\n/reset\nu\n")) {
            Run kept = chat(input);
            assertThat(kept.out()).isEqualTo(chat(input, "--alone").out());
            assertThat(kept.err()).contains("the model is kept loaded by process ");
            assertThat(kept.exitCode()).isEqualTo(ExitCode.DONE);
        }
        assertThat(chat("w\nx\n/stats\n").err())
                .contains("prompt 25 tokens, 6 of them in the cache already", "27 of 1024 tokens used");
        Run stopped = run("generate", model.toString(), "--prompt", "a", "--stop", "de", "--ignore-eos");
        assertThat(stopped.out()).as("stop texts").isEqualTo("bc\n");
    }

    private Run chat(String input, String... options) throws IOException, InterruptedException {
        List<String> args = new ArrayList<>(List.of("chat", model.toString(), "--lines", "--max-tokens", "30"));
        args.addAll(Arrays.asList(options));
        Process process = start(args.toArray(String[]::new));
        process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
        return finish(process, "");
    }

    @Test
    void aRunGoesOnByItselfWhenTheKeptModelIsKilledInMidText() throws Exception {
        String want = run(text(LONG), "--alone").out();
        long pid = keep();
        Process run = start(text(LONG).toArray(String[]::new));
        String first = new String(run.getInputStream().readNBytes(1), StandardCharsets.UTF_8);
        signal("KILL", pid);
        Run went = finish(run, first);

        assertThat(went.err())
                .contains("the kept model is not used any more: it has ended; this run loads the model itself");
        assertThat(went.out()).isEqualTo(want);
        assertThat(went.exitCode()).isEqualTo(ExitCode.DONE);

        Run next = run(text(3));
        assertThat(next.err()).as("a dead one's socket is nothing to speak of").doesNotContain("kept");
        assertThat(next.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(keep()).isNotEqualTo(pid);
    }

    @Test
    void aRequestToEndTakesTheModelAway() throws Exception {
        long pid = keep();
        signal("TERM", pid);
        awaitEnd(pid);
        assertThat(run("keep").out()).isEmpty();
        try (Stream<Path> files = Files.list(folder.resolve("state/tutti/kept"))) {
            assertThat(files).noneMatch(file -> file.toString().endsWith(".sock"));
        }
    }

    @Test
    void aRunThatIsKilledSetsTheModelFree() throws Exception {
        keep();
        Process run = start(text(LONG).toArray(String[]::new));
        assertThat(run.getInputStream().read()).isPositive();
        Run beside = run(text(3));
        assertThat(beside.err()).contains("the kept model is not used: it is busy with another text");
        run.destroyForcibly().waitFor();
        while (run("keep").out().contains("busy")) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
        assertThat(run(text(3)).err()).contains("the model is kept loaded by process ");
    }

    @Test
    void whatIsInterruptedStopsAsEver() throws Exception {
        long pid = keep();
        Process run = start(text(LONG).toArray(String[]::new));
        InputStream out = run.getInputStream();
        assertThat(out.read()).isPositive();
        signal("STOP", pid); // It says nothing more.
        try {
            signal("TERM", run.pid());
            assertThat(out.readAllBytes()).endsWith((byte) '\n');
            assertThat(run.waitFor()).isEqualTo(ExitCode.INTERRUPTED);
            Run next = run(text(3));
            assertThat(next.err()).contains("the kept model is not used: it does not answer");
            assertThat(next.exitCode()).isEqualTo(ExitCode.DONE);
        } finally {
            signal("CONT", pid);
        }
    }

    @Test
    void keepingAgainIsTheSameOrAnother() throws Exception {
        long pid = keep("--idle", "1h");
        Run same = run("keep", model.toString(), "--idle", "1h");
        assertThat(same.err()).startsWith("already kept: ").contains("process " + pid);
        assertThat(same.exitCode()).isEqualTo(ExitCode.DONE);
        keep("--idle", "1h", "--context", "100");
        awaitEnd(pid);
        assertThat(run(text(3), "--context", "100").err()).contains("the model is kept loaded by process ");

        long other = keep("--idle", "1h", "--kv", "f32");
        assertThat(other).isNotEqualTo(pid);
        assertThat(run("keep").out()).contains("process " + other, "--kv f32").hasLineCount(1);

        Run second = run("keep", model.toString(), "--foreground");
        assertThat(second.err()).startsWith("tutti: " + model + ": another process keeps it already");
        assertThat(second.exitCode()).isEqualTo(ExitCode.REFUSED);

        assertThat(run("keep", "--stop", model.toString()).err()).contains("is no longer kept");
        awaitEnd(other);
        assertThat(run("keep", "--stop", model.toString()).err()).startsWith("no model is kept of ");
        assertThat(run("keep").err()).isEqualTo("no model is kept\n");
    }

    @Test
    void itLeavesWhenIdle() throws Exception {
        long pid = keep("--idle", "1s");
        awaitEnd(pid);
        assertThat(run("keep").out()).isEmpty();
    }

    @Test
    void aModelAfterTwoDashesIsKept() throws Exception {
        Run kept = run("keep", "--idle", "1h", "--", model.toString());
        assertThat(kept.err()).contains("kept: " + model.toRealPath() + ": process ");
        assertThat(kept.exitCode()).isEqualTo(ExitCode.DONE);
    }

    @Test
    void whatCannotBeKeptIsRefusedInOneLine() throws Exception {
        Files.writeString(model.resolve("config.json"), "{}");
        Run refused = run("keep", model.toString());
        assertThat(refused.err()).startsWith("tutti: " + model).hasLineCount(1);
        assertThat(refused.exitCode()).isEqualTo(ExitCode.REFUSED);

        layOutWeights();
        Run weights = run("keep", model.toString());
        assertThat(weights.err()).startsWith("tutti: " + model).hasLineCount(1);
        assertThat(weights.exitCode()).isEqualTo(ExitCode.REFUSED);

        Run nothing = run("keep", "--foreground");
        assertThat(nothing.err()).startsWith("tutti: --foreground has no model").hasLineCount(1);
        assertThat(nothing.exitCode()).isEqualTo(ExitCode.BAD_USAGE);
    }

    /** Such as only the process in the background sees, when it reads them. */
    private void layOutWeights() throws IOException {
        Files.copy(Path.of(TINY, "config.json"), model.resolve("config.json"), StandardCopyOption.REPLACE_EXISTING);
        Files.write(model.resolve("model.safetensors"), new byte[100]);
    }
}
