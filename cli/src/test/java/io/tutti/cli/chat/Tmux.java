package io.tutti.cli.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A terminal that a test types into and reads, by a tmux server of its own. */
final class Tmux implements AutoCloseable {

    private static final String SKIPPED =
            "SKIPPED: no chat was driven at a real terminal, since tmux is not installed (package tmux)";

    private static final long PATIENCE_SECONDS = 120;
    private static final long POLL_MILLIS = 50;

    private final Path program;
    private final Path socket;

    private Tmux(Path program, Path socket) {
        this.program = program;
        this.socket = socket;
    }

    /** Runs {@code script} in a new terminal where tmux is installed; elsewhere the test is skipped, and says so. */
    static Tmux startOrSkip(Path folder, Path script) throws IOException {
        List<Path> found = Stream.of(System.getenv("PATH").split(":", -1))
                .map(directory -> Path.of(directory, "tmux"))
                .filter(Files::isExecutable)
                .toList();
        if (found.isEmpty()) {
            System.err.println(SKIPPED);
        }
        assumeTrue(!found.isEmpty(), SKIPPED);
        Path socket = Files.createTempDirectory(folder, "tmux").resolve("socket");
        Tmux tmux = new Tmux(found.getFirst(), socket);
        tmux.run("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "40", "sh " + script);
        return tmux;
    }

    /** Types text, as it is. */
    void type(String text) throws IOException {
        run("send-keys", "-l", text);
    }

    /** Pastes text, between brackets if the program asked for them. */
    void paste(String text) throws IOException {
        run("set-buffer", text);
        run("paste-buffer", "-p", "-r");
    }

    /** Presses keys by tmux's names, such as Enter, C-c, M-Enter. */
    void press(String... keys) throws IOException {
        List<String> command = new ArrayList<>(List.of("send-keys"));
        command.addAll(List.of(keys));
        run(command.toArray(String[]::new));
    }

    /** Everything that the terminal has shown, wrapped lines joined. */
    String screen() throws IOException {
        return run("capture-pane", "-p", "-J", "-S", "-").stripTrailing();
    }

    /** Waits until the screen is as wanted, and returns it. */
    String await(String what, Predicate<String> wanted) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        String screen = screen();
        while (!wanted.test(screen)) {
            assertThat(System.nanoTime()).as("%s, but: %s", what, screen).isLessThan(deadline);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
            screen = screen();
        }
        return screen;
    }

    private String run(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(program.toString(), "-u", "-S", socket.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.onExit().join().exitValue())
                .as("%s: %s", command, output)
                .isZero();
        return output;
    }

    @Override
    public void close() throws IOException {
        run("kill-server");
    }
}
