import com.github.tjake.jlama.model.AbstractModel;
import com.github.tjake.jlama.model.ModelSupport;
import com.github.tjake.jlama.safetensors.DType;
import com.github.tjake.jlama.safetensors.SafeTensorSupport;
import com.github.tjake.jlama.tensor.AbstractTensor;
import com.github.tjake.jlama.tensor.KvBufferCache;
import com.github.tjake.jlama.tensor.KvBufferCache.KvBuffer;
import com.github.tjake.jlama.util.PhysicalCoreExecutor;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Jlama, measured: {@code Peer rates MODEL THREADS DTYPE} prints tokens per second, a JSON object a
 * line; {@code Peer greedy MODEL THREADS DTYPE COUNT ID…} prints that many tokens after a prompt, each on a line as soon as it
 * is there. DTYPE is BF16, or Q4 for a model that {@code Peer quantize MODEL OUT} wrote.
 */
final class Peer implements AutoCloseable {
    private final AbstractModel model;
    private final KvBufferCache caches;
    private final AbstractTensor logits;

    /** Four-bit weights take eight-bit activations. */
    private Peer(File directory, DType weights) {
        model = ModelSupport.loadModel(directory, DType.F32, weights == DType.Q4 ? DType.I8 : DType.F32);
        caches = new KvBufferCache(model);
        logits = model.makeDenseTensor(model.getConfig().vocabularySize);
    }

    /** A sequence being read and continued. */
    private final class Sequence implements AutoCloseable {
        private final KvBuffer cache = caches.getEphemeralKvBuffer();
        private int length;

        /** Takes tokens in; returns the likeliest next one. */
        int step(int... tokens) {
            AbstractTensor hidden = tokens.length == 1
                    ? model.forward(tokens[0], length, cache, Optional.empty())
                    : model.batchForward(tokens, length, cache);
            length += tokens.length;
            try (hidden) {
                return model.sample(hidden.slice(hidden.shape().first() - 1), 0, 0, logits);
            }
        }

        @Override
        public void close() {
            cache.close();
        }
    }

    private double prefill(int count) {
        try (Sequence sequence = new Sequence()) {
            long start = System.nanoTime();
            sequence.step(prompt(count));
            return rate(count, start);
        }
    }

    private double decode(int depth, int count) {
        try (Sequence sequence = new Sequence()) {
            int token = sequence.step(prompt(Math.max(depth, 1)));
            long start = System.nanoTime();
            for (int i = 0; i < count; i++) {
                token = sequence.step(token);
            }
            return rate(count, start);
        }
    }

    private void rates() {
        prefill(512);
        decode(0, 128);
        System.out.println("{\"pp512\": " + prefill(512) + "}");
        System.out.println("{\"tg128\": " + decode(0, 128) + "}");
        System.out.println("{\"tg128_at_2000\": " + decode(2000, 128) + "}");
    }

    private void greedy(int count, int[] prompt) {
        try (Sequence sequence = new Sequence()) {
            int[] tokens = prompt;
            for (int i = 0; i < count; i++) {
                tokens = new int[] {sequence.step(tokens)};
                System.out.println(tokens[0]);
            }
        }
    }

    /** Jlama copies a README with the model, and fails without one. */
    private static void quantize(Path directory, Path out) throws IOException {
        Path withReadme = Files.createDirectories(out.resolveSibling(out.getFileName() + ".source"));
        for (String file : List.of("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")) {
            Files.deleteIfExists(withReadme.resolve(file));
            Files.createSymbolicLink(withReadme.resolve(file), directory.toAbsolutePath().resolve(file));
        }
        Files.writeString(withReadme.resolve("README.md"), "");
        SafeTensorSupport.quantizeModel(withReadme, DType.Q4, new String[0], new String[0], Optional.of(out));
    }

    @Override
    public void close() {
        logits.close();
        caches.close();
        model.close();
    }

    private static double rate(int count, long start) {
        return count * 1e9 / (System.nanoTime() - start);
    }

    /** Some tokens; which ones does not matter for speed. All peers take these. */
    private static int[] prompt(int count) {
        return IntStream.range(0, count).map(i -> 1000 + i * 7919 % 30000).toArray();
    }

    public static void main(String[] args) throws IOException {
        if (args[0].equals("quantize")) {
            quantize(Path.of(args[1]), Path.of(args[2]));
            return;
        }
        PhysicalCoreExecutor.overrideThreadCount(Integer.parseInt(args[2]));
        try (Peer peer = new Peer(new File(args[1]), DType.valueOf(args[3]))) {
            if (args[0].equals("rates")) {
                peer.rates();
            } else {
                int[] numbers = Arrays.stream(args).skip(4).mapToInt(Integer::parseInt).toArray();
                peer.greedy(numbers[0], Arrays.copyOfRange(numbers, 1, numbers.length));
            }
        }
    }
}
