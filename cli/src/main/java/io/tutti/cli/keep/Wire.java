package io.tutti.cli.keep;

import io.tutti.cli.console.OneLine;
import io.tutti.engine.graph.Activations;
import io.tutti.kv.KvDtype;
import io.tutti.runtime.generate.GenerationRequest;
import io.tutti.runtime.generate.Stops;
import io.tutti.sample.SamplingParams;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/**
 * The bytes between a process that keeps a model and one that uses it: numbers as {@link java.io.DataOutput} writes them, texts as their
 * length in bytes and UTF-8, constants as their names. What is too long or has no meaning is an {@link IOException}.
 */
final class Wire {

    /** The first bytes of a connection, before the version and the question. */
    private static final int MAGIC = 0x54555454;

    private static final byte VERSION = 1;

    private static final int LONGEST_TEXT = 1 << 20;
    private static final int MOST_STOP_TOKENS = 1 << 16;

    /** What a connection is for. */
    enum Question {
        LOOK,
        USE,
        GENERATE,
        STOP
    }

    /** What an answer to {@link Question#GENERATE} is made of. */
    enum Answer {
        BUSY,
        DIFFERS,
        BEGUN,
        PREFILLED,
        TOKEN,
        FAILED
    }

    /** Whose fault a text's failure is: the request's or the model's, the sampled row's, or the process's. */
    enum Fault {
        REFUSED,
        LOGITS,
        PROCESS
    }

    private Wire() {}

    /** A connection to {@code socket}, its question not asked yet. */
    static SocketChannel connect(Path socket) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(socket));
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    static void ask(DataOutputStream out, Question question) throws IOException {
        out.writeInt(MAGIC);
        out.writeByte(VERSION);
        write(out, question);
    }

    static Question readQuestion(DataInputStream in) throws IOException {
        if (in.readInt() != MAGIC || in.readByte() != VERSION) {
            throw new IOException("another protocol");
        }
        return read(in, Question.class);
    }

    static void write(DataOutputStream out, Enum<?> value) throws IOException {
        writeText(out, value.name());
    }

    static <E extends Enum<E>> E read(DataInputStream in, Class<E> type) throws IOException {
        String name = readText(in);
        try {
            return Enum.valueOf(type, name);
        } catch (IllegalArgumentException e) {
            throw new IOException("no " + type.getSimpleName() + " is called " + OneLine.quote(name), e);
        }
    }

    static void writeText(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    static String readText(DataInputStream in) throws IOException {
        return new String(readBytes(in, in.readInt(), LONGEST_TEXT), StandardCharsets.UTF_8);
    }

    private static byte[] readBytes(DataInputStream in, int length, int most) throws IOException {
        if (length < 0 || length > most) {
            throw new IOException("a length of " + length + "; accepted: 0 to " + most);
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return bytes;
    }

    static void write(DataOutputStream out, Circumstances circumstances) throws IOException {
        writeText(out, circumstances.build());
        writeText(out, circumstances.files());
        writeText(out, circumstances.config());
        out.writeInt(circumstances.threads());
        write(out, circumstances.kv());
        out.writeInt(circumstances.quantGroup().orElse(0));
        write(out, circumstances.activations());
    }

    static Circumstances readCircumstances(DataInputStream in) throws IOException {
        String build = readText(in);
        String files = readText(in);
        String config = readText(in);
        int threads = in.readInt();
        KvDtype kv = read(in, KvDtype.class);
        int group = in.readInt();
        return new Circumstances(
                build,
                files,
                config,
                threads,
                kv,
                group == 0 ? OptionalInt.empty() : OptionalInt.of(group),
                read(in, Activations.class));
    }

    static void write(DataOutputStream out, KeptModel kept) throws IOException {
        write(out, kept.circumstances());
        writeText(out, kept.model());
        writeText(out, kept.askedDevice());
        writeText(out, kept.device());
        writeText(out, kept.note());
        out.writeInt(kept.room());
        out.writeLong(kept.pid());
        out.writeLong(kept.idle().toSeconds());
        out.writeBoolean(kept.busy());
    }

    static KeptModel readKept(DataInputStream in) throws IOException {
        return new KeptModel(
                readCircumstances(in),
                readText(in),
                readText(in),
                readText(in),
                readText(in),
                in.readInt(),
                in.readLong(),
                Duration.ofSeconds(in.readLong()),
                in.readBoolean());
    }

    /** All but the stop texts, which are found where the text is. */
    static void write(DataOutputStream out, GenerationRequest request) throws IOException {
        writeInts(out, request.prompt());
        out.writeInt(request.maxTokens());
        SamplingParams sampling = request.sampling();
        out.writeDouble(sampling.temperature());
        out.writeInt(sampling.topK());
        out.writeDouble(sampling.topP());
        out.writeDouble(sampling.minP());
        out.writeDouble(sampling.repetitionPenalty());
        out.writeDouble(sampling.presencePenalty());
        out.writeDouble(sampling.frequencyPenalty());
        out.writeLong(request.seed());
        writeInts(
                out,
                request.stops().tokens().stream().mapToInt(Integer::intValue).toArray());
        out.writeBoolean(request.logprobs());
        out.writeInt(request.chunk());
    }

    /**
     * A request.
     *
     * @param mostTokens of its prompt
     * @throws RuntimeException if a value is none that a request may have
     */
    static GenerationRequest readRequest(DataInputStream in, int mostTokens) throws IOException {
        int[] prompt = readInts(in, mostTokens);
        int maxTokens = in.readInt();
        SamplingParams sampling = new SamplingParams(
                in.readDouble(),
                in.readInt(),
                in.readDouble(),
                in.readDouble(),
                in.readDouble(),
                in.readDouble(),
                in.readDouble());
        long seed = in.readLong();
        List<Integer> stopTokens =
                Arrays.stream(readInts(in, MOST_STOP_TOKENS)).boxed().toList();
        boolean logprobs = in.readBoolean();
        Stops stops = new Stops(stopTokens, List.of());
        return new GenerationRequest(prompt, maxTokens, sampling, seed, stops, logprobs, in.readInt(), false);
    }

    private static void writeInts(DataOutputStream out, int[] values) throws IOException {
        out.writeInt(values.length);
        ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(values.length, Integer.BYTES));
        bytes.asIntBuffer().put(values);
        out.write(bytes.array());
    }

    private static int[] readInts(DataInputStream in, int most) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > most) {
            throw new IOException("a count of " + count + "; accepted: 0 to " + most);
        }
        int[] values = new int[count];
        IntBuffer read = ByteBuffer.wrap(readBytes(in, count * Integer.BYTES, Integer.MAX_VALUE))
                .asIntBuffer();
        read.get(values);
        return values;
    }
}
