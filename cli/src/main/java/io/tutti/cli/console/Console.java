package io.tutti.cli.console;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What a command talks to. Text is UTF-8 on every system, and lines end in a line feed. */
public final class Console {

    /** Set by the launcher, which can ask what Java cannot: whether standard error is a terminal. */
    private static final String TERMINAL_PROPERTY = "tutti.terminal";

    /** Set by the launcher too: whether standard input is one. */
    private static final String INPUT_PROPERTY = "tutti.terminal.input";

    /** Bytes of a file or a line that is read whole: far more than any context, so that a longer one is a mistake. */
    public static final int LONGEST_INPUT = 1 << 28;

    private final InputStream in;
    private final StandardOutput guard;
    private final PrintStream out;
    private final PrintStream err;
    private final boolean terminal;
    private final boolean interactive;
    private final Interrupts interrupts;
    private boolean hasReadLine;

    /** @param terminal whether {@code err} is one, and may show progress */
    public Console(InputStream in, OutputStream out, OutputStream err, boolean terminal, Interrupts interrupts) {
        this(in, out, err, terminal, false, interrupts);
    }

    private Console(
            InputStream in,
            OutputStream out,
            OutputStream err,
            boolean terminal,
            boolean interactive,
            Interrupts interrupts) {
        this.in = in;
        guard = new StandardOutput(out);
        this.out = new PrintStream(new BufferedOutputStream(guard), false, StandardCharsets.UTF_8);
        this.err = new PrintStream(err, true, StandardCharsets.UTF_8);
        this.terminal = terminal;
        this.interactive = interactive;
        this.interrupts = interrupts;
    }

    /**
     * This process's standard streams.
     *
     * @param shared whether native libraries may print to standard output, which is then kept from them
     */
    public static Console ofProcess(Interrupts interrupts, boolean shared) {
        return new Console(
                System.in,
                shared ? OwnOutput.take() : new FileOutputStream(FileDescriptor.out),
                new FileOutputStream(FileDescriptor.err),
                Boolean.getBoolean(TERMINAL_PROPERTY),
                isPersonThere(),
                interrupts);
    }

    /** Windows' launcher cannot tell, but Java can there, where nothing is done to standard output. */
    private static boolean isPersonThere() {
        if (System.getProperty("os.name").startsWith("Windows")) {
            return System.console().isTerminal();
        }
        return Boolean.getBoolean(TERMINAL_PROPERTY) && Boolean.getBoolean(INPUT_PROPERTY);
    }

    public Interrupts interrupts() {
        return interrupts;
    }

    /** Writes to standard output; it is seen after {@link #flush}. */
    public void print(String text) {
        out.print(text);
    }

    public void println(String line) {
        out.print(line);
        out.print('\n');
    }

    /** Hands on what was printed. */
    public void flush() {
        out.flush();
    }

    /** Whether standard output takes nothing more, so that there is no point in going on. */
    public boolean closed() {
        return guard.failure().isPresent();
    }

    /**
     * Hands on what was printed, and makes sure that it arrived. A reader that has gone away is no failure.
     *
     * @throws RefusedException if it did not, as on a full disk
     */
    public void requireWritten() {
        flush();
        if (closed() && !guard.closedByReader()) {
            IOException failure = guard.failure().orElseThrow();
            throw new RefusedException("standard output cannot be written: " + failure.getMessage(), failure);
        }
    }

    /** Says something beside the output: a line on standard error. */
    public void note(String line) {
        err.print(OneLine.of(line) + "\n");
    }

    /** A failure's stack trace. */
    public void trace(Throwable failure) {
        failure.printStackTrace(err);
    }

    /** Progress of {@code task}, seen only on a terminal. */
    public Progress progress(String task) {
        return new Progress(task, Progress.Unit.STEPS, terminal ? err : null);
    }

    /** Progress of {@code task} in bytes, with their rate. */
    public Progress byteProgress(String task) {
        return new Progress(task, Progress.Unit.BYTES, terminal ? err : null);
    }

    /** Whether a person sits there: standard input is a terminal of this process, and standard error too. */
    public boolean isInteractive() {
        return interactive;
    }

    /** Asks the person at the terminal; empty if the input has ended. */
    public Optional<String> ask(String question) {
        err.print(OneLine.of(question) + " ");
        return readLine();
    }

    /** Whether standard input is a terminal, so that nothing is piped into it. */
    public boolean inputIsTerminal() {
        return interactive || Boolean.getBoolean(INPUT_PROPERTY);
    }

    /** Whether something is piped into standard input that has not been read. */
    public boolean hasUnreadInput() {
        try {
            return !inputIsTerminal() && in.available() > 0;
        } catch (IOException _) {
            return false; // As of a device that cannot tell.
        }
    }

    /**
     * All of standard input, up to {@code most} bytes and one more; empty if nothing, not even its end, comes within
     * {@code patience}.
     */
    public Optional<byte[]> readInput(int most, Duration patience) throws IOException {
        CompletableFuture<Integer> first = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("first input").start(() -> {
            try {
                first.complete(in.read());
            } catch (IOException | RuntimeException e) {
                first.completeExceptionally(e);
            }
        });
        interrupts.waitsForInput(() -> {});
        try {
            int begin = first.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            if (begin < 0) {
                return Optional.of(new byte[0]);
            }
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            all.write(begin);
            all.write(readInput(most - 1));
            return Optional.of(all.toByteArray());
        } catch (TimeoutException _) {
            return Optional.empty();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
        } catch (InterruptedException e) {
            throw new IOException(e);
        } finally {
            interrupts.works();
        }
    }

    /** All of standard input, up to {@code most} bytes and one more. */
    public byte[] readInput(int most) throws IOException {
        interrupts.waitsForInput(() -> {});
        try {
            return in.readNBytes(most + 1);
        } finally {
            interrupts.works();
        }
    }

    /**
     * The next line of standard input, without its end, the first one without a byte-order mark; empty once there is none.
     *
     * @throws RefusedException if it cannot be read, or is not UTF-8
     */
    public Optional<String> readLine() {
        interrupts.waitsForInput(() -> {});
        try {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            int b = in.read();
            if (b < 0) {
                return Optional.empty();
            }
            for (; b >= 0 && b != '\n'; b = in.read()) {
                line.write(b);
                if (line.size() > LONGEST_INPUT) {
                    throw new RefusedException("standard input has a line that is too long; accepted: at most "
                            + LONGEST_INPUT + " bytes");
                }
            }
            byte[] bytes =
                    hasReadLine ? line.toByteArray() : ByteOrderMark.without(line.toByteArray(), "standard input");
            hasReadLine = true;
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return Optional.of(text.endsWith("\r") ? text.substring(0, text.length() - 1) : text);
        } catch (CharacterCodingException e) {
            throw new RefusedException("standard input has a line that is not UTF-8; accepted: UTF-8 text", e);
        } catch (IOException e) {
            throw new RefusedException("standard input cannot be read: " + e.getMessage(), e);
        } finally {
            interrupts.works();
        }
    }
}
