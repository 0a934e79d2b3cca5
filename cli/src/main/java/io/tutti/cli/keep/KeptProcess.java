package io.tutti.cli.keep;

import io.tutti.cli.keep.Wire.Question;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A process that keeps a model, as others see it. */
public final class KeptProcess {

    /** How long a process may take to answer. It does so at once, even when it is busy, unless a signal has stopped it. */
    private static final int PATIENCE_SECONDS = 2;

    private final Path socket;
    private final KeptModel kept;

    private KeptProcess(Path socket, KeptModel kept) {
        this.socket = socket;
        this.kept = kept;
    }

    /** All processes of the user that keep a model. */
    public static List<KeptProcess> all(KeptFolder folder) {
        return folder.isOursAlone()
                ? folder.sockets().stream()
                        .map(KeptProcess::at)
                        .flatMap(Optional::stream)
                        .toList()
                : List.of();
    }

    /** The one that keeps {@code model}. */
    public static Optional<KeptProcess> of(KeptFolder folder, Path model) throws IOException {
        return folder.isOursAlone() ? at(folder.socket(model)) : Optional.empty();
    }

    private static Optional<KeptProcess> at(Path socket) {
        try (SocketChannel channel = Wire.connect(socket)) {
            return Optional.of(new KeptProcess(socket, describe(channel, Question.LOOK)));
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    public KeptModel kept() {
        return kept;
    }

    /** Whether it keeps the model that {@code other} is, with the same options. */
    public boolean keepsAs(KeptModel other) {
        return kept.circumstances().equals(other.circumstances())
                && kept.askedDevice().equals(other.askedDevice())
                && kept.room() == other.room()
                && kept.idle().equals(other.idle());
    }

    /** Tells the process to end, and waits for its answer. */
    public void end() throws IOException {
        try (SocketChannel channel = Wire.connect(socket)) {
            ask(channel, Question.STOP);
            inTime(channel, () -> new DataInputStream(Channels.newInputStream(channel)).readByte());
        }
    }

    /**
     * Asks what is kept, and leaves the connection open.
     *
     * @param question one that is answered so
     */
    static KeptModel describe(SocketChannel channel, Question question) throws IOException {
        ask(channel, question);
        return inTime(channel, () -> Wire.readKept(new DataInputStream(Channels.newInputStream(channel))));
    }

    private static void ask(SocketChannel channel, Question question) throws IOException {
        Wire.ask(new DataOutputStream(Channels.newOutputStream(channel)), question);
    }

    /** What is read from a channel. */
    private interface Reading<T> {
        T read() throws IOException;
    }

    /** Reads, and closes the channel if nothing comes for too long. */
    private static <T> T inTime(SocketChannel channel, Reading<T> reading) throws IOException {
        CountDownLatch done = new CountDownLatch(1);
        Thread.ofPlatform().daemon().start(() -> {
            try {
                if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    close(channel);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts this thread", e);
            }
        });
        try {
            return reading.read();
        } finally {
            done.countDown();
        }
    }

    static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException _) {
            // It is of no use any more in any case.
        }
    }
}
