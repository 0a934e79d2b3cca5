package io.tutti.runtime;

import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.host.warmup.WarmUp;
import io.tutti.engine.model.StoredModel;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ForwardBatch;
import io.tutti.engine.runner.ForwardSeq;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.hub.HubCache;
import io.tutti.hub.HubEnvironment;
import io.tutti.hub.HubException;
import io.tutti.hub.ModelName;
import io.tutti.hub.PastedName;
import io.tutti.kv.KvBlock;
import io.tutti.modelio.files.UserFolder;
import io.tutti.modelio.safetensors.TensorInfo;
import io.tutti.modelio.weights.Weights;
import io.tutti.runtime.generate.CachedSequence;
import io.tutti.runtime.generate.GenerationListener;
import io.tutti.runtime.generate.GenerationRequest;
import io.tutti.runtime.generate.GenerationResult;
import io.tutti.runtime.generate.Generator;
import io.tutti.runtime.generate.RunnerTokens;
import io.tutti.runtime.generate.Sampling;
import io.tutti.runtime.generate.Stops;
import io.tutti.runtime.generate.TextGenerator;
import io.tutti.runtime.generate.TokenSource;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A model, loaded onto a device. The same model, request and seed give the same bits on every exact device.
 *
 * {@snippet :
 * import io.tutti.base.TuttiException;
 * import io.tutti.runtime.Model;
 * import io.tutti.runtime.generate.GenerationListener;
 * import io.tutti.runtime.generate.GenerationRequest;
 *
 * public class Example {
 *     public static void main(String[] args) {
 *         try (Model model = Model.open(args[0])) {
 *             model.notes().forEach(System.err::println);
 *             GenerationRequest request = model.request()
 *                     .prompt("It is a truth")
 *                     .maxTokens(40)
 *                     .temperature(0.8)
 *                     .seed(7)
 *                     .build();
 *             model.generate(request, GenerationListener.text(System.out::print));
 *             System.out.println();
 *         } catch (TuttiException e) {
 *             System.err.println(e.getMessage());
 *         }
 *     }
 * }
 * }
 *
 * <p>Threads may share a model; it does one thing at a time, and the others wait. What a text and the one before it begin with
 * alike is in the cache, and not computed again.
 *
 * <p>What is refused is a {@link io.tutti.base.TuttiException}, whose message is one line for the user. The JVM needs {@code
 * --add-modules jdk.incubator.vector} for its speed; without it a note says so, and the bits are the same.
 */
public final class Model implements TextGenerator, AutoCloseable {

    private final ModelFiles files;
    private final boolean ownsFiles;
    private final ModelRunner runner;
    private final DeviceChoice choice;
    private final int threads;
    private final long loadNanos;
    private final ReentrantLock turn = new ReentrantLock();
    private final CachedSequence sequence;
    private RunnerTokens tokens;

    private Model(
            ModelFiles files, boolean ownsFiles, ModelRunner runner, DeviceChoice choice, int threads, long loadNanos) {
        this.files = files;
        this.ownsFiles = ownsFiles;
        this.runner = runner;
        this.choice = choice;
        this.threads = threads;
        this.loadNanos = loadNanos;
        sequence = new CachedSequence(runner);
    }

    /** {@link #open(String, ModelOptions)} with the default options. */
    public static Model open(String model) {
        return open(model, ModelOptions.defaults());
    }

    /**
     * Opens a model by directory or name.
     *
     * @param model a directory with config.json and weights, or {@code owner/name[@revision]} of a model in the Hugging Face
     *     cache
     * @throws HubException if it is neither
     * @throws io.tutti.base.TuttiException as {@link #open(Path, ModelOptions)}
     */
    public static Model open(String model, ModelOptions options) {
        return open(directory(model), options);
    }

    /** {@link #open(Path, ModelOptions)} with the default options. */
    public static Model open(Path directory) {
        return open(directory, ModelOptions.defaults());
    }

    /**
     * Opens the model in {@code directory}.
     *
     * @throws io.tutti.modelio.ModelException if a file is refused
     * @throws DeviceChoiceException if the device is not there, or broken
     * @throws ModelTooLargeException if the device's memory has no room for weights and cache
     * @throws io.tutti.kv.KvException if there is no memory for the cache
     * @throws io.tutti.engine.runner.EngineException if an option is refused
     */
    public static Model open(Path directory, ModelOptions options) {
        ModelFiles plain = ModelFiles.open(directory, options.modelDefaults()).withPipeline(options.pipeline());
        ModelFiles files = options.context().isPresent()
                ? plain.withContext(options.context().getAsInt())
                : plain;
        EngineConfig engine = options.engine(files.config().context());
        try (WarmUp _ = files.warmUp(options.device(), engine)) {
            files.usableTokenizer();
            Devices devices = Devices.find(new BackendOptions(options.threads()));
            DeviceChoice choice = DeviceChoice.of(options.device(), devices);
            return load(files, true, engine, choice, options.threads(), LoadProgress.NONE);
        } catch (RuntimeException | Error e) {
            files.close();
            throw e;
        }
    }

    /**
     * The directory of a model. What exists is taken as it is; only then is a name looked up.
     *
     * @param model a directory, or the name of a model in the Hugging Face cache, or the address of its page
     * @throws HubException if it is neither
     */
    public static Path directory(String model) {
        Optional<Path> existing = existing(model);
        if (existing.isPresent()) {
            return existing.get();
        }
        HubEnvironment environment = HubEnvironment.ofProcess();
        ModelName name = PastedName.parse(model, environment)
                .map(PastedName::model)
                .orElseThrow(() -> new NoSuchModelException(model));
        return new HubCache(environment.cache()).find(name);
    }

    private static Optional<Path> existing(String model) {
        try {
            return Optional.of(Path.of(model)).filter(Files::exists);
        } catch (InvalidPathException _) {
            return Optional.empty(); // On Windows an address is one.
        }
    }

    /**
     * Loads a model whose files are open; they stay the caller's to close, after the model.
     *
     * @param engine how it runs
     * @param choice where it runs
     * @param threads of the host, for the sampler
     * @param progress is told how far loading has come
     * @throws ModelTooLargeException if the device's memory has no room for weights and cache
     * @throws io.tutti.kv.KvException if there is no memory for the cache
     * @throws io.tutti.modelio.ModelException if the weights are refused
     */
    public static Model load(
            ModelFiles files, EngineConfig engine, DeviceChoice choice, int threads, LoadProgress progress) {
        return load(files, false, engine, choice, threads, progress);
    }

    private static Model load(
            ModelFiles files,
            boolean ownsFiles,
            EngineConfig engine,
            DeviceChoice choice,
            int threads,
            LoadProgress progress) {
        requireMemory(files, engine, choice.device());
        long begin = System.nanoTime();
        ModelRunner runner = ModelRunner.load(files.stored(), engine, choice.device(), choice.verdict(), progress);
        return new Model(files, ownsFiles, runner, choice, threads, System.nanoTime() - begin);
    }

    /** The system would hand out memory that it does not have, and kill the process when it is used. */
    private static void requireMemory(ModelFiles files, EngineConfig engine, Device device) {
        double cache = (double) Sizes.cacheBytesPerToken(files.config(), engine.kvDtype())
                * engine.blockTokens()
                * engine.kvBlocks().orElse(1);
        double weights = weightBytes(files.stored(), engine.quantGroup());
        if (weights + cache > device.memoryBytes()) {
            throw new ModelTooLargeException(
                    files.directory(), (long) weights, (long) cache, device.memoryBytes(), device.name());
        }
    }

    /** As stored, but for what is quantized at load: four bits an element, and an f16 for each group of them. */
    private static double weightBytes(StoredModel stored, OptionalInt quantGroup) {
        Weights weights = stored.weights();
        Set<String> projections = stored.config().graph().storedProjections();
        double bytes = 0;
        for (String name : weights.names()) {
            TensorInfo tensor = weights.checkpoint().tensor(name);
            double share = quantGroup.isPresent() && projections.contains(name)
                    ? (4 + 16.0 / quantGroup.getAsInt()) / tensor.dtype().bits()
                    : 1;
            bytes += share * tensor.bytes();
        }
        return bytes;
    }

    /** Its configuration, tokenizer and chat template. */
    public ModelFiles files() {
        return files;
    }

    /** The device that it runs on. */
    public Device device() {
        return choice.device();
    }

    /**
     * The engine below, for callers that run steps of their own while nothing else uses the model. What earlier texts have left
     * in the cache is given back.
     */
    public ModelRunner runner() {
        return inTurn(() -> {
            sequence.close();
            return runner;
        });
    }

    /** How long loading took. */
    public long loadNanos() {
        return loadNanos;
    }

    /** Positions that a text may have: the context's, or fewer if the cache has no room for them. */
    public int room() {
        return runner.engineConfig().positions(files.config().context());
    }

    /** What there is to say about the choice of the device. */
    public Optional<String> choiceNote() {
        return choice.note();
    }

    /** What the JVM lacks for the device's speed, what is odd about the model's files, and which tensors were ignored. */
    public List<String> loadNotes() {
        List<String> notes = new ArrayList<>(device().note().stream().toList());
        notes.addAll(runner.notes());
        List<String> unused = runner.unusedTensors();
        if (!unused.isEmpty()) {
            notes.add(Sizes.ignored(unused));
        }
        return notes;
    }

    /** What an application should show or log once: about the device, the files and the tokenizer. */
    public List<String> notes() {
        List<String> notes = new ArrayList<>(choiceNote().stream().toList());
        notes.addAll(loadNotes());
        notes.addAll(files.tokenizerNotes());
        UserFolder.CACHE.note().ifPresent(notes::add);
        return notes;
    }

    /** Builds a request with this model's defaults. */
    public RequestBuilder request() {
        return new RequestBuilder(files);
    }

    /** {@link #generate(GenerationRequest, GenerationListener, BooleanSupplier)} of a whole text. */
    public GenerationResult generate(GenerationRequest request) {
        return generate(request, GenerationListener.NONE);
    }

    /** {@link #generate(GenerationRequest, GenerationListener, BooleanSupplier)} that nobody cancels. */
    public GenerationResult generate(GenerationRequest request, GenerationListener listener) {
        return generate(request, listener, () -> false);
    }

    /**
     * Generates a text; it ends at its stops, after the tokens asked for, or when the {@link #room} is full.
     *
     * @param listener receives the text as it grows, in this thread; it must not use the model
     * @param cancelled asked before every step; the text so far is returned
     * @throws PromptException if the prompt has more tokens than there is room for
     * @throws io.tutti.engine.runner.EngineException if the prompt is refused, or the model's output is not numbers
     * @throws io.tutti.sample.InvalidLogitsException if no token can be chosen from the model's output
     */
    @Override
    public GenerationResult generate(
            GenerationRequest request, GenerationListener listener, BooleanSupplier cancelled) {
        requireRoom(request.prompt());
        // The last token chosen is never run.
        int limit = room() - request.prompt().length + 1;
        GenerationRequest fitting = request.withMaxTokens(Math.min(request.maxTokens(), limit));
        return inTurn(() -> new Generator(tokens(), files.usableTokenizer()).generate(fitting, listener, cancelled));
    }

    /** The tokens that this model chooses, for a {@link Generator}; one thread at a time uses them. */
    public TokenSource tokens() {
        if (tokens == null) {
            tokens = new RunnerTokens(runner, sequence, Threads.loop(threads));
        }
        return tokens;
    }

    /**
     * A new conversation, without a system prompt.
     *
     * @throws io.tutti.modelio.ModelException if the model has no chat template, or no tokenizer
     */
    public Chat chat() {
        AnswerSettings settings = new AnswerSettings(
                OptionalInt.empty(),
                Sampling.DEFAULTS.over(files.generationConfig()).params(),
                0,
                Map.of(),
                WhenFull.STOP,
                Stops.of(files.answerEnds(Map.of())),
                Integer.MAX_VALUE);
        return new Chat(files, this, room(), new Conversation(), settings);
    }

    /**
     * The logits after the last of {@code ids}, {@code [V]}.
     *
     * @throws PromptException if the tokens are refused
     */
    public float[] logits(int... ids) {
        float[][] last = new float[1][];
        logits(ids, false, Integer.MAX_VALUE, (_, end, row) -> last[0] = end == ids.length ? row.clone() : null);
        return last[0];
    }

    /**
     * The logits after {@code ids}, step by step.
     *
     * @param all whether those of every token are wanted; otherwise the last step alone gives any, those of the last token
     * @param chunk tokens that a step takes at most
     * @param listener receives them
     * @throws PromptException if the tokens are refused
     */
    public void logits(int[] ids, boolean all, int chunk, LogitsListener listener) {
        requireRoom(files.checked(ids));
        inTurn(() -> {
            sequence.close();
            int step = Math.min(chunk, runner.engineConfig().maxBatchTokens());
            List<KvBlock> blocks = runner.pool().alloc(ModelRunner.blocksFor(ids.length, runner.blockTokens()));
            try {
                for (int start = 0; start < ids.length; start += step) {
                    int end = Math.min(ids.length, start + step);
                    int outputs = all ? end - start : end == ids.length ? 1 : 0;
                    ForwardSeq part = new ForwardSeq(Arrays.copyOfRange(ids, start, end), start, blocks, outputs);
                    listener.computed(
                            start, end, runner.forward(ForwardBatch.of(part)).data());
                }
            } finally {
                runner.pool().release(blocks);
            }
            return null;
        });
    }

    /**
     * The embedding of a text: its last hidden states, pooled and scaled to length 1, {@code [E]}.
     *
     * @throws PromptException if the text has no tokens, or more than there is room for
     * @throws io.tutti.engine.runner.EngineException if the model has no hidden states
     */
    public float[] embedding(String text, Pooling pooling) {
        return embedding(files.encode(text, true), pooling);
    }

    /** {@link #embedding(String, Pooling)} of token ids. */
    public float[] embedding(int[] ids, Pooling pooling) {
        requireRoom(files.checked(ids));
        return inTurn(() -> {
            sequence.close();
            return Embeddings.pool(runner.runOnce(ids).states(), ids.length, pooling);
        });
    }

    private void requireRoom(int[] ids) {
        if (ids.length > room()) {
            throw PromptException.tooLong(String.valueOf(ids.length), room(), "the room of the cache");
        }
    }

    private <T> T inTurn(Supplier<T> work) {
        if (turn.isHeldByCurrentThread()) {
            throw new IllegalStateException("a listener must not use the model that calls it");
        }
        turn.lock();
        try {
            return work.get();
        } finally {
            turn.unlock();
        }
    }

    /** Frees the model, once what it is doing has ended. */
    @Override
    public void close() {
        inTurn(() -> {
            sequence.close();
            runner.close();
            if (ownsFiles) {
                files.close();
            }
            return null;
        });
    }
}
