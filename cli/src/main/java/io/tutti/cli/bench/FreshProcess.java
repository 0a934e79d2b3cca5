package io.tutti.cli.bench;

import io.tutti.cli.console.Interrupts;
import io.tutti.cli.console.RefusedException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Tutti once more, in a process of its own: the only way to know what a user waits for and how much memory a run takes, since
 * this one is warm and holds whatever was measured before.
 */
public final class FreshProcess {

    /** The checkout, where the launcher says it. */
    private static final String HOME_PROPERTY = "tutti.home";

    private static final boolean WINDOWS = System.getProperty("os.name").startsWith("Windows");
    private static final String LINE = "tutti: ";
    private static final int POLL_MILLIS = 20;
    private static final Executor READERS = task -> Thread.ofPlatform().daemon().start(task);

    private final Supplier<List<String>> tutti;
    private final Interrupts interrupts;

    /** @param tutti the command that a command line's arguments are added to */
    private FreshProcess(Supplier<List<String>> tutti, Interrupts interrupts) {
        this.tutti = tutti;
        this.interrupts = interrupts;
    }

    /** By the launcher, as the user started this one; or, if nothing says where that is, by {@link #ofJvm}. */
    public static FreshProcess ofLauncher(Class<?> main, Interrupts interrupts) {
        String home = System.getProperty(HOME_PROPERTY);
        return home == null
                ? ofJvm(main, interrupts)
                : new FreshProcess(
                        () -> List.of(
                                Path.of(home, WINDOWS ? "tutti.cmd" : "tutti").toString()),
                        interrupts);
    }

    /** By a JVM with this one's flags that runs {@code main}. */
    public static FreshProcess ofJvm(Class<?> main, Interrupts interrupts) {
        return new FreshProcess(
                () -> {
                    RuntimeMXBean jvm = ManagementFactory.getRuntimeMXBean();
                    List<String> command = new ArrayList<>();
                    command.add(Path.of(System.getProperty("java.home"), "bin", "java")
                            .toString());
                    command.addAll(jvm.getInputArguments());
                    command.addAll(List.of("-cp", jvm.getClassPath(), main.getName()));
                    return command;
                },
                interrupts);
    }

    /**
     * What a run printed.
     *
     * @param out its standard output
     * @param firstByteNanos from just before the process was made to the first byte of that
     */
    public record Output(String out, long firstByteNanos) {}

    /**
     * Runs a command line to its end.
     *
     * @throws RefusedException with the command's own line, if it fails
     */
    public Output run(List<String> arguments) {
        List<String> command = new ArrayList<>(tutti.get());
        command.addAll(arguments);
        Process process = null;
        try {
            long begin = System.nanoTime();
            process = new ProcessBuilder(command).start();
            process.getOutputStream().close();
            InputStream out = process.getInputStream();
            InputStream err = process.getErrorStream();
            CompletableFuture<Output> output = CompletableFuture.supplyAsync(() -> read(out, begin), READERS);
            CompletableFuture<String> said = CompletableFuture.supplyAsync(() -> readAll(err), READERS);
            Output result = await(output);
            String errors = await(said);
            if (process.waitFor() != 0) {
                throw new RefusedException(reason(errors, process.exitValue()));
            }
            return result;
        } catch (IOException e) {
            throw new RefusedException("a fresh process cannot be started: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this thread", e);
        } finally {
            if (process != null) {
                end(process);
            }
        }
    }

    /**
     * A process that goes on when this one has ended.
     *
     * @param log what it says
     */
    public record Background(Process process, Path log) {

        /**
         * Makes sure that it has not ended.
         *
         * @throws RefusedException with the command's own line, if it has
         */
        public void requireAlive() throws IOException {
            if (!process.isAlive()) {
                throw new RefusedException(reason(Files.readString(log), process.exitValue()));
            }
        }

        /** Ends it. */
        public void end() {
            FreshProcess.end(process);
        }
    }

    /**
     * Starts a command line, and leaves it to itself.
     *
     * @param log takes what it says, in place of what was there
     */
    public Background background(List<String> arguments, Path log) throws IOException {
        List<String> command = new ArrayList<>(tutti.get());
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.redirectErrorStream(true).redirectOutput(log.toFile());
        Process process = builder.start();
        process.getOutputStream().close();
        return new Background(process, log);
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroy); // On Windows the launcher waits for its JVM.
        process.destroy();
    }

    private <T> T await(CompletableFuture<T> future) throws InterruptedException {
        while (true) {
            interrupts.check();
            try {
                return future.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException _) {
                // Not yet.
            } catch (ExecutionException e) {
                throw new RefusedException("a fresh process's output cannot be read: " + e.getCause(), e);
            }
        }
    }

    private static Output read(InputStream in, long begin) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            int first = in.read();
            long nanos = System.nanoTime() - begin;
            if (first >= 0) {
                bytes.write(first);
                in.transferTo(bytes);
            }
            return new Output(bytes.toString(StandardCharsets.UTF_8), nanos);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String readAll(InputStream in) {
        try {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String reason(String errors, int status) {
        return errors.lines()
                .filter(line -> line.startsWith(LINE))
                .reduce((_, last) -> last)
                .map(line -> line.substring(LINE.length()))
                .orElse("exit status " + status);
    }
}
