package io.tutti.cli.keep;

import io.tutti.cli.keep.Wire.Answer;
import io.tutti.cli.keep.Wire.Fault;
import io.tutti.cli.keep.Wire.Question;
import io.tutti.engine.runner.EngineException;
import io.tutti.runtime.generate.ChosenTokens;
import io.tutti.runtime.generate.GenerationListener;
import io.tutti.runtime.generate.GenerationRequest;
import io.tutti.sample.InvalidLogitsException;
import io.tutti.sample.SampledToken;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** One text of a kept model. A thread reads the connection, so that the user can stop the text while nothing comes. */
final class RemoteText implements ChosenTokens {

    /** How often to ask whether the user wants to stop, while nothing comes. */
    private static final int POLL_MILLIS = 20;

    /** What comes from the other side. */
    private sealed interface Message {

        record Begun(int reused) implements Message {}

        record Prefilled(int tokens, int of) implements Message {}

        record Token(SampledToken token) implements Message {}

        /** No token comes any more. */
        record End(RuntimeException reason) implements Message {}
    }

    private final SocketChannel channel;
    private final GenerationListener listener;
    private final BooleanSupplier cancelled;
    private final BlockingQueue<Message> messages = new LinkedBlockingQueue<>();
    private int reused;

    private RemoteText(SocketChannel channel, GenerationListener listener, BooleanSupplier cancelled) {
        this.channel = channel;
        this.listener = listener;
        this.cancelled = cancelled;
    }

    /**
     * Asks for a text, and waits until it has begun.
     *
     * @throws KeptGoneException if it cannot be had
     */
    static RemoteText begin(
            Path socket,
            Circumstances circumstances,
            GenerationRequest request,
            GenerationListener listener,
            BooleanSupplier cancelled) {
        SocketChannel channel;
        try {
            channel = Wire.connect(socket);
        } catch (IOException _) {
            throw new KeptGoneException("it has ended");
        }
        RemoteText text = new RemoteText(channel, listener, cancelled);
        try {
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel)));
            Wire.ask(out, Question.GENERATE);
            Wire.write(out, circumstances);
            Wire.write(out, request);
            out.flush();
            Thread.ofPlatform().daemon().name("tutti-kept").start(text::read);
            if (text.receive() instanceof Message.Begun begun) {
                text.reused = begun.reused;
            }
            return text;
        } catch (IOException e) {
            text.close();
            throw new KeptGoneException("it has ended");
        } catch (RuntimeException e) {
            text.close();
            throw e;
        }
    }

    private void read() {
        try {
            DataInputStream in = new DataInputStream(new BufferedInputStream(Channels.newInputStream(channel)));
            while (true) {
                messages.add(readMessage(in));
            }
        } catch (IOException | RuntimeException _) {
            messages.add(new Message.End(new KeptGoneException("it has ended")));
        }
    }

    private static Message readMessage(DataInputStream in) throws IOException {
        return switch (Wire.read(in, Answer.class)) {
            case BUSY -> new Message.End(new KeptGoneException("it is busy with another text"));
            case DIFFERS -> new Message.End(new KeptGoneException("another model is kept in its place"));
            case BEGUN -> new Message.Begun(in.readInt());
            case PREFILLED -> new Message.Prefilled(in.readInt(), in.readInt());
            case TOKEN -> new Message.Token(new SampledToken(in.readInt(), in.readDouble()));
            case FAILED -> new Message.End(failure(in));
        };
    }

    private static RuntimeException failure(DataInputStream in) throws IOException {
        Fault fault = Wire.read(in, Fault.class);
        String problem = Wire.readText(in);
        List<String> parameters = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            parameters.add(Wire.readText(in));
        }
        return switch (fault) {
            case REFUSED -> new EngineException(problem);
            case LOGITS -> new InvalidLogitsException(parameters, problem);
            case PROCESS -> new KeptGoneException("it failed: " + problem);
        };
    }

    @Override
    public int reused() {
        return reused;
    }

    @Override
    public Optional<SampledToken> next() {
        while (true) {
            switch (receive()) {
                case null -> {
                    return Optional.empty();
                }
                case Message.Token token -> {
                    return Optional.of(token.token);
                }
                case Message.Prefilled prefilled -> listener.prefilled(prefilled.tokens, prefilled.of);
                case Message.Begun _, Message.End _ -> throw new KeptGoneException("it says what makes no sense");
            }
        }
    }

    /**
     * Waits for the next message.
     *
     * @return null if the user wants to stop
     * @throws RuntimeException the reason, if the text has ended
     */
    private Message receive() {
        try {
            while (!cancelled.getAsBoolean()) {
                Message message = messages.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
                if (message instanceof Message.End end) {
                    throw end.reason;
                }
                if (message != null) {
                    return message;
                }
            }
            return null;
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this thread", e);
        }
    }

    /** Closes the connection, which tells the other side to stop. */
    @Override
    public void close() {
        KeptProcess.close(channel);
    }
}
