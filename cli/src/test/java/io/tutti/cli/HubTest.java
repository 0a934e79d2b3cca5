package io.tutti.cli;

import static io.tutti.cli.Run.TINY;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tutti.cli.console.ExitCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Models by name: {@code pull}, and the commands that find them afterwards. */
class HubTest {

    private static final String COMMIT = "0123456789abcdef0123456789abcdef01234567";
    private static final List<String> FILES = List.of("config.json", "model.safetensors");
    private static final int PATIENCE_SECONDS = 60;

    @TempDir
    private Path folder;

    /** What a process has beside what it needs for the hub here. */
    private final Map<String, String> environment = new HashMap<>();

    private HttpServer hub;
    private Process process;
    /** When the weights' first half is sent, and until when the rest is held back; null: it is not. */
    private volatile CountDownLatch half;

    private CountDownLatch rest;

    @BeforeEach
    void serveTheTinyModel() throws IOException {
        hub = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        hub.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        hub.createContext("/api/models/tiny/llama/revision/main", exchange -> send(exchange, list()));
        for (String file : FILES) {
            hub.createContext(
                    "/tiny/llama/resolve/" + COMMIT + "/" + file,
                    exchange -> send(exchange, Files.readAllBytes(Path.of(TINY, file))));
        }
        hub.start();
    }

    @AfterEach
    void end() {
        if (rest != null) {
            rest.countDown();
        }
        if (process != null) {
            process.destroyForcibly();
        }
        hub.stop(0);
    }

    private static byte[] list() {
        return FILES.stream()
                .map(file -> "{\"rfilename\": \"%s\", \"size\": %d, \"lfs\": {\"sha256\": \"%s\"}}"
                        .formatted(file, Path.of(TINY, file).toFile().length(), sha256(Path.of(TINY, file))))
                .collect(Collectors.joining(",", "{\"sha\": \"" + COMMIT + "\", \"siblings\": [", "]}"))
                .getBytes(StandardCharsets.UTF_8);
    }

    private static String sha256(Path file) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void send(HttpExchange exchange, byte[] bytes) throws IOException {
        try (exchange) {
            exchange.sendResponseHeaders(200, bytes.length);
            int first = half != null && exchange.getRequestURI().getPath().endsWith(".safetensors")
                    ? bytes.length / 2
                    : bytes.length;
            exchange.getResponseBody().write(bytes, 0, first);
            exchange.getResponseBody().flush();
            if (first < bytes.length) {
                half.countDown();
                rest.await();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private Process start(List<String> launcher, String... args) throws IOException {
        return start(launcher, List.of(), args);
    }

    private Process start(List<String> launcher, List<String> flags, String... args) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(MainProcess.command(launcher, flags, args));
        builder.environment().put("HF_HUB_CACHE", folder.resolve("cache").toString());
        builder.environment()
                .put("HF_ENDPOINT", "http://127.0.0.1:" + hub.getAddress().getPort());
        builder.environment().keySet().removeAll(List.of("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_TOKEN"));
        builder.environment()
                .keySet()
                .removeIf(name -> name.toLowerCase(Locale.ROOT).endsWith("_proxy"));
        builder.environment().putAll(environment);
        process = builder.start();
        return process;
    }

    private List<String> output() throws IOException {
        return process.inputReader().lines().toList();
    }

    private List<String> said() throws IOException {
        return process.errorReader()
                .lines()
                .filter(line -> !line.contains("incubator modules"))
                .toList();
    }

    private int exitCode() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    @Test
    void pullPrintsTheDirectoryAndEveryCommandTakesTheNameFromThenOn() throws Exception {
        Path snapshot = folder.resolve("cache/models--tiny--llama/snapshots").resolve(COMMIT);
        start(List.of(), "pull", "tiny/llama");
        assertThat(output()).containsExactly(snapshot.toString());
        assertThat(said())
                .singleElement()
                .asString()
                .matches("tiny/llama at commit 0123456789ab: 2 files, .* KiB, .* KiB downloaded");
        assertThat(exitCode()).isEqualTo(ExitCode.DONE);

        start(List.of(), "pull", "tiny/llama@main");
        assertThat(output()).containsExactly(snapshot.toString());
        assertThat(said()).singleElement().asString().endsWith("all there before");

        start(List.of(), "inspect", "tiny/llama");
        assertThat(output()).first().isEqualTo(snapshot.toString());

        start(
                List.of(),
                "generate",
                "--model",
                "tiny/llama@" + COMMIT,
                "--device=host",
                "--tokens=65",
                "--max-tokens=2");
        assertThat(output()).hasSize(1);
        assertThat(exitCode()).isEqualTo(ExitCode.DONE);

        Path quantized = folder.resolve("int4");
        start(List.of(), "quantize", "tiny/llama", "--quant=int4:4", "--out", quantized.toString());
        assertThat(exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(Files.isRegularFile(quantized.resolve("config.json"), java.nio.file.LinkOption.NOFOLLOW_LINKS))
                .isTrue();
    }

    @Test
    void whatIsAllThereIsPrintedWithANoteWhenTheHubIsDown() throws Exception {
        start(List.of(), "pull", "tiny/llama");
        assertThat(exitCode()).isEqualTo(ExitCode.DONE);
        hub.stop(0);
        String snapshot = folder.resolve("cache/models--tiny--llama/snapshots")
                .resolve(COMMIT)
                .toString();

        start(List.of(), "pull", "http://127.0.0.1:" + hub.getAddress().getPort() + "/tiny/llama/tree/main");
        assertThat(output()).containsExactly(snapshot);
        assertThat(said())
                .satisfiesExactly(
                        wait -> assertThat(wait).endsWith(": no connection; trying again"),
                        note -> assertThat(note)
                                .startsWith("tiny/llama at http://127.0.0.1:")
                                .endsWith(
                                        ": no connection; what the cache has is a whole model, perhaps not the newest"),
                        note -> assertThat(note).startsWith("tiny/llama at commit 0123456789ab: 2 files, "));
        assertThat(exitCode()).isEqualTo(ExitCode.DONE);

        environment.put("HF_HUB_OFFLINE", "1");
        start(List.of(), "pull", "hf.co/tiny/llama");
        assertThat(output()).containsExactly(snapshot);
        assertThat(said())
                .first()
                .isEqualTo("tiny/llama: HF_HUB_OFFLINE is set, so nothing is downloaded; what the cache has is a whole"
                        + " model, perhaps not the newest");
        assertThat(exitCode()).isEqualTo(ExitCode.DONE);
    }

    @Test
    void addressesOfOtherHostsAreRefusedByName() throws Exception {
        start(List.of(), "inspect", "https://example.com/tiny/llama");
        assertThat(said())
                .singleElement()
                .asString()
                .startsWith("tutti: \"https://example.com/tiny/llama\" is no address of the hub; accepted: owner/name");
        assertThat(exitCode()).isEqualTo(ExitCode.REFUSED);
    }

    // list and rm

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a right there")
    void listSaysWhatIsThereAndWhetherItRuns() throws Exception {
        start(List.of(), "list");
        assertThat(output()).isEmpty();
        assertThat(said())
                .singleElement()
                .asString()
                .isEqualTo("no models in " + folder.resolve("cache") + "; `tutti pull owner/name` downloads one");
        assertThat(exitCode()).isEqualTo(ExitCode.DONE);

        snapshot("tiny", "llama", "config.json", "model.safetensors");
        snapshot("tiny", "part", "config.json");
        Path gpt2 = snapshot("other", "gpt2", "model.safetensors");
        Files.writeString(gpt2.resolve("config.json"), "{\"model_type\": \"gpt2\"}");
        start(List.of(), "list");
        assertThat(output())
                .satisfiesExactly(
                        line -> assertThat(line)
                                .matches("other/gpt2   .* KiB  config.json: model_type = \"gpt2\" is not supported"),
                        line -> assertThat(line).matches("tiny/llama   .* KiB  runs"),
                        line -> assertThat(line).matches("tiny/part    .*  only part: has no model.safetensors"));
        assertThat(said()).singleElement().asString().endsWith(" KiB in " + folder.resolve("cache"));

        start(List.of(), "list", "--json");
        JsonNode json = new ObjectMapper().readTree(String.join("\n", output()));
        assertThat(said()).isEmpty();
        assertThat(json.get("cache").textValue())
                .isEqualTo(folder.resolve("cache").toString());
        assertThat(json.get("models")).hasSize(3);
        JsonNode llama = json.get("models").get(1);
        assertThat(llama.get("name").textValue()).isEqualTo("tiny/llama");
        assertThat(llama.get("commit").textValue()).isEqualTo(COMMIT);
        assertThat(llama.get("refs").get(0).textValue()).isEqualTo("main");
        assertThat(llama.get("runs").booleanValue()).isTrue();
        assertThat(llama.get("reason").isNull()).isTrue();
        assertThat(llama.get("bytes").longValue())
                .isEqualTo(Files.size(Path.of(TINY, "config.json")) + Files.size(Path.of(TINY, "model.safetensors")));
        assertThat(json.get("models").get(0).get("runs").booleanValue()).isFalse();
        assertThat(json.get("models").get(0).get("reason").textValue()).contains("gpt2");
    }

    /** Lays out a model of the tiny one's files. */
    private Path snapshot(String owner, String name, String... files) throws IOException {
        Path repository = folder.resolve("cache/models--" + owner + "--" + name);
        Path snapshot = Files.createDirectories(repository.resolve("snapshots").resolve(COMMIT));
        Files.createDirectories(repository.resolve("refs"));
        Files.createDirectories(repository.resolve("blobs"));
        Files.writeString(repository.resolve("refs/main"), COMMIT);
        for (String file : files) {
            Files.copy(Path.of(TINY, file), repository.resolve("blobs").resolve(name + file));
            Files.createSymbolicLink(snapshot.resolve(file), Path.of("../../blobs", name + file));
        }
        return snapshot;
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a right there")
    void rmRemovesWithoutAskingOnlyIfItIsToldTo() throws Exception {
        snapshot("tiny", "llama", "config.json", "model.safetensors");
        Path repository = folder.resolve("cache/models--tiny--llama");
        start(List.of(), "rm", "tiny/llama");
        assertThat(said())
                .singleElement()
                .asString()
                .startsWith("tutti: rm asks before it removes tiny/llama (5 files, ")
                .endsWith("there is no terminal to ask at; accepted: --yes");
        assertThat(exitCode()).isEqualTo(ExitCode.BAD_USAGE);
        assertThat(repository).exists();

        start(List.of(), "rm", "tiny/llama", "--yes");
        assertThat(said()).singleElement().asString().startsWith("removed tiny/llama (5 files, ");
        assertThat(exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(folder.resolve("cache")).isEmptyDirectory();

        start(List.of(), "rm", "tiny/llama", "--yes");
        assertThat(said())
                .singleElement()
                .asString()
                .isEqualTo("tutti: tiny/llama: is not in the Hugging Face cache " + folder.resolve("cache")
                        + "; accepted: what `tutti list` shows");
        assertThat(exitCode()).isEqualTo(ExitCode.REFUSED);
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a right there")
    void rmAsksAtATerminalAndTakesNothingButYesForYes() throws Exception {
        snapshot("tiny", "llama", "config.json");
        Path repository = folder.resolve("cache/models--tiny--llama");
        for (String answer : List.of("\n", "n\n", "maybe\n", "")) {
            answer(answer);
            assertThat(said())
                    .singleElement()
                    .asString()
                    .matches("remove tiny/llama \\(.*\\)\\? \\[y/N] nothing is removed");
            assertThat(exitCode()).isEqualTo(ExitCode.REFUSED);
            assertThat(repository).exists();
        }
        answer("Yes\n");
        assertThat(said()).singleElement().asString().contains("? [y/N] removed tiny/llama (");
        assertThat(exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(repository).doesNotExist();
    }

    /** The launcher says by these flags that both ends are a terminal. */
    private void answer(String answer) throws IOException {
        start(List.of(), List.of("-Dtutti.terminal=true", "-Dtutti.terminal.input=true"), "rm", "tiny/llama");
        try (var out = process.outputWriter()) {
            out.write(answer);
        }
    }

    @Test
    void aRefusalOfTheHubIsOneLine() throws Exception {
        start(List.of(), "pull", "tiny/other");
        assertThat(said())
                .singleElement()
                .asString()
                .startsWith("tutti: tiny/other: there is no http://127.0.0.1:")
                .contains("accepted: ");
        assertThat(output()).isEmpty();
        assertThat(exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aHubOutOfReachIsSaidAtOnceAndGivenUpWithWhatToCheck() throws Exception {
        hub.stop(0);
        start(List.of(), "pull", "tiny/llama");
        String address = "tiny/llama at http://127.0.0.1:" + hub.getAddress().getPort();
        assertThat(said())
                .satisfiesExactly(
                        wait -> assertThat(wait).isEqualTo(address + ": no connection; trying again"),
                        end -> assertThat(end)
                                .startsWith("tutti: " + address + ": no connection; check the network, HF_ENDPOINT"));
        assertThat(output()).isEmpty();
        assertThat(exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    @EnabledOnOs(
            value = OS.LINUX,
            disabledReason = "needs env --default-signal: a build in the background ignores SIGINT")
    void controlCEndsAPullAndTheNextGoesOn() throws Exception {
        half = new CountDownLatch(1);
        rest = new CountDownLatch(1);
        start(List.of("env", "--default-signal=INT"), "pull", "tiny/llama");
        assertThat(half.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        new ProcessBuilder("kill", "-INT", String.valueOf(process.pid()))
                .start()
                .waitFor();
        assertThat(output()).isEmpty();
        assertThat(said()).isEmpty();
        assertThat(exitCode()).isEqualTo(ExitCode.INTERRUPTED);
        assertThat(folder.resolve("cache/models--tiny--llama/snapshots")).doesNotExist();

        half = null;
        start(List.of(), "pull", "tiny/llama");
        assertThat(exitCode()).isEqualTo(ExitCode.DONE);
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a right there")
    void whatExistsIsTakenBeforeAName() throws IOException {
        // Maven runs the tests in the module's own directory.
        assertThat(Run.of("inspect", "src/main").err()).startsWith("tutti: src/main: has no config.json");
        assertThat(Run.of("inspect", "src/absent").err()).contains("`tutti pull src/absent`");

        Path repository = Path.of(System.getenv("HF_HUB_CACHE"), "models--src--main");
        Path snapshot = Files.createDirectories(repository.resolve("snapshots").resolve(COMMIT));
        Files.createDirectories(repository.resolve("refs"));
        Files.writeString(repository.resolve("refs/main"), COMMIT);
        Files.deleteIfExists(snapshot.resolve("config.json"));
        Files.createSymbolicLink(snapshot.resolve("config.json"), Path.of(TINY, "config.json"));
        assertThat(Run.of("inspect", "src/main").err()).startsWith("tutti: src/main: has no config.json");
    }
}
