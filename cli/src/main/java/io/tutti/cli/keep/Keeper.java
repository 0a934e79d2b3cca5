package io.tutti.cli.keep;

import io.tutti.cli.keep.Wire.Answer;
import io.tutti.cli.keep.Wire.Fault;
import io.tutti.engine.runner.EngineException;
import io.tutti.runtime.generate.ChosenTokens;
import io.tutti.runtime.generate.GenerationListener;
import io.tutti.runtime.generate.GenerationRequest;
import io.tutti.runtime.generate.TokenSource;
import io.tutti.sample.InvalidLogitsException;
import io.tutti.sample.SampledToken;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/** Serves a kept model to other processes, one text at a time, until it has been idle for long enough or is told to end. */
public final class Keeper {

    /** Connections at once: more than anybody has terminals. */
    private static final int MOST_CONNECTIONS = 64;

    private final KeptPlace place;
    private final KeptModel kept;
    private final TokenSource source;
    private final Semaphore connections = new Semaphore(MOST_CONNECTIONS);
    private final AtomicInteger users = new AtomicInteger();
    private final ReentrantLock working = new ReentrantLock();
    private volatile long lastUse = System.nanoTime();
    private volatile boolean ended;
    private volatile Selector selector;
    /** Whose text is being made, or was last. */
    private volatile SocketChannel client;

    /**
     * @param source the model; only this uses it
     */
    public Keeper(KeptPlace place, KeptModel kept, TokenSource source) {
        this.place = place;
        this.kept = kept;
        this.source = source;
    }

    /**
     * Serves until {@link #end} is called or the model has been idle for long enough. When this returns, no other process finds
     * the model, and it may be freed.
     */
    public void run() throws IOException {
        try (Selector events = Selector.open();
                ServerSocketChannel server = place.open()) {
            selector = events;
            server.configureBlocking(false);
            server.register(events, SelectionKey.OP_ACCEPT);
            lastUse = System.nanoTime();
            for (Duration left = left(); !ended && left.isPositive(); left = left()) {
                events.select(Math.max(1, left.toMillis()));
                events.selectedKeys().clear();
                SocketChannel client = server.accept();
                if (client != null) {
                    take(client);
                }
            }
        } finally {
            end();
            working.lock(); // The last step is done, and there is no other: the model may be freed.
        }
    }

    /** Ends {@link #run}. A run whose text is being made goes on with a model of its own. */
    public void end() {
        ended = true;
        place.remove();
        Selector events = selector;
        if (events != null) {
            events.wakeup();
        }
        SocketChannel last = client;
        if (last != null) {
            KeptProcess.close(last); // One that reads nothing would hold up its text for ever.
        }
    }

    /** How long until the model has been idle for long enough, if nobody uses it before. */
    private Duration left() {
        return users.get() > 0 ? kept.idle() : kept.idle().minusNanos(System.nanoTime() - lastUse);
    }

    private void take(SocketChannel client) throws IOException {
        if (!connections.tryAcquire()) {
            client.close();
            return;
        }
        client.configureBlocking(true);
        Thread.ofPlatform().daemon().name("tutti-keep").start(() -> {
            try (client) {
                answer(client);
            } catch (IOException | RuntimeException _) {
                // The other side is gone, or is none of ours.
            } finally {
                connections.release();
            }
        });
    }

    private void answer(SocketChannel client) throws IOException {
        DataInputStream in = new DataInputStream(Channels.newInputStream(client));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(client)));
        switch (Wire.readQuestion(in)) {
            case LOOK -> describe(out);
            case USE ->
                inUse(() -> {
                    describe(out);
                    in.skipNBytes(Long.MAX_VALUE); // until the other side closes, which is an EOFException
                });
            case GENERATE -> inUse(() -> generate(client, in, out));
            case STOP -> {
                out.writeByte(0);
                out.flush();
                end();
            }
        }
    }

    private interface Task {
        void run() throws IOException;
    }

    private void inUse(Task task) throws IOException {
        users.incrementAndGet();
        try {
            task.run();
        } finally {
            lastUse = System.nanoTime();
            users.decrementAndGet();
            selector.wakeup(); // to wait anew
        }
    }

    private void describe(DataOutputStream out) throws IOException {
        Wire.write(out, kept.withBusy(working.isLocked()));
        out.flush();
    }

    private void generate(SocketChannel client, DataInputStream in, DataOutputStream out) throws IOException {
        Circumstances wanted = Wire.readCircumstances(in);
        GenerationRequest request = Wire.readRequest(in, kept.room());
        if (!wanted.equals(kept.circumstances())) {
            say(out, Answer.DIFFERS);
        } else if (!working.tryLock()) {
            say(out, Answer.BUSY);
        } else {
            try {
                this.client = client;
                generate(request, out, Departure.of(client));
            } finally {
                working.unlock();
            }
        }
    }

    private static void say(DataOutputStream out, Answer answer) throws IOException {
        Wire.write(out, answer);
        out.flush();
    }

    private void generate(GenerationRequest request, DataOutputStream out, Departure client) throws IOException {
        GenerationListener listener = new GenerationListener() {
            @Override
            public void prefilled(int tokens, int of) {
                try {
                    Wire.write(out, Answer.PREFILLED);
                    out.writeInt(tokens);
                    out.writeInt(of);
                    out.flush();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
        try (ChosenTokens tokens = source.begin(request, listener, () -> ended || client.hasLeft())) {
            Wire.write(out, Answer.BEGUN);
            out.writeInt(tokens.reused());
            out.flush();
            send(tokens, request, out);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } catch (EngineException e) {
            fail(out, Fault.REFUSED, e.getMessage());
        } catch (InvalidLogitsException e) {
            fail(out, Fault.LOGITS, e.problem(), e.parameters().toArray(String[]::new));
        } catch (RuntimeException | Error e) { // An OutOfMemoryError, say, after which nothing is certain.
            fail(out, Fault.PROCESS, e.toString());
            end();
        }
    }

    private void send(ChosenTokens tokens, GenerationRequest request, DataOutputStream out) throws IOException {
        int most = Math.min(request.maxTokens(), Math.min(kept.room() + 1, source.context()) - request.prompt().length);
        boolean more = true;
        for (int count = 1; more; count++) {
            Optional<SampledToken> next = tokens.next();
            if (next.isEmpty()) {
                return;
            }
            Wire.write(out, Answer.TOKEN);
            out.writeInt(next.get().id());
            out.writeDouble(next.get().logprob());
            out.flush();
            more = count < most && !request.stops().tokens().contains(next.get().id());
        }
    }

    private static void fail(DataOutputStream out, Fault fault, String problem, String... parameters)
            throws IOException {
        Wire.write(out, Answer.FAILED);
        Wire.write(out, fault);
        Wire.writeText(out, problem);
        out.writeInt(parameters.length);
        for (String parameter : parameters) {
            Wire.writeText(out, parameter);
        }
        out.flush();
    }
}
