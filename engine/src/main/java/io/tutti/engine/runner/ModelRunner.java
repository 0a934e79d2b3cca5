package io.tutti.engine.runner;

import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.backend.Unsupported;
import io.tutti.engine.backend.Verdict;
import io.tutti.engine.backend.Verdict.Exact;
import io.tutti.engine.graph.Activations;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Op.Attention;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.model.StoredModel;
import io.tutti.kv.KvBlock;
import io.tutti.kv.KvConfig;
import io.tutti.kv.KvDtype;
import io.tutti.kv.KvPool;
import io.tutti.modelio.weights.WeightSource;
import io.tutti.modelio.weights.Weights;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A loaded model on one device, with its KV pool. Each {@link #forward} is one step over a batch of sequences; what the
 * sequences are, when they run and which blocks they own is the caller's business. One thread at a time uses a runner.
 */
public final class ModelRunner implements AutoCloseable {

    private final ModelConfig config;
    private final EngineConfig engine;
    private final Graph graph;
    private final KvPool pool;
    private final Program program;
    private final List<String> notes;
    private final List<String> unusedTensors;
    private final BatchCheck check;
    private float[] logits = {};

    private ModelRunner(
            ModelConfig config,
            EngineConfig engine,
            Graph graph,
            KvPool pool,
            Program program,
            List<String> notes,
            List<String> unusedTensors) {
        this.config = config;
        this.engine = engine;
        this.graph = graph;
        this.pool = pool;
        this.program = program;
        this.notes = notes;
        this.unusedTensors = unusedTensors;
        check = new BatchCheck(config, engine, pool, graph);
    }

    /** Loads the model in {@code dir} onto a device that is exact. */
    public static ModelRunner load(Path dir, EngineConfig engine, Device device, LoadProgress progress) {
        return load(StoredModel.open(dir), engine, device, new Exact(), progress);
    }

    /**
     * Loads {@code model} onto {@code device}.
     *
     * @param verdict of the device's self-test: cached blocks of an approximate device are for its like alone
     * @throws io.tutti.modelio.ModelException if the model is refused
     * @throws io.tutti.kv.KvException if the cache that {@code engine} asks for cannot be had
     * @throws EngineException if the device is broken
     */
    public static ModelRunner load(
            StoredModel model, EngineConfig engine, Device device, Verdict verdict, LoadProgress progress) {
        Weights weights = model.weights();
        ModelConfig config = model.config().with(weights);
        Graph graph = config.graph().with(engine.activations());
        WeightSource source = engine.weights(weights, graph);
        String identity = ModelIdentity.of(graph, engine, device, verdict);
        if (engine.quantGroup().isPresent() && graph.layers().isEmpty()) {
            throw new EngineException("--quant is int4:" + engine.quantGroup().getAsInt()
                    + ", but a " + config.modelType()
                    + " model has no linear layers to quantize; accepted: a model with layers");
        }
        requireInt4(model.directory(), engine, weights);
        KvPool pool = new KvPool(
                poolConfig(config, graph, engine, identity),
                () -> ModelIdentity.checksums(weights.checkpoint()),
                device.bufferBytes());
        Program program = compile(config, engine, graph, source, pool, device, progress);
        return new ModelRunner(config, engine, graph, pool, program, weights.notes(), weights.unusedNames());
    }

    /** Makes a model of weights that are in no checkpoint, for use within this process. */
    public static ModelRunner of(ModelConfig config, EngineConfig engine, WeightSource weights, Device device) {
        Graph graph = config.graph().with(engine.activations());
        KvPool pool = new KvPool(poolConfig(config, graph, engine, "no checkpoint"));
        Program program = compile(config, engine, graph, weights, pool, device, (_, _) -> {});
        return new ModelRunner(config, engine, graph, pool, program, List.of(), List.of());
    }

    /** Compiles the graph; if that fails, the pool is closed. */
    private static Program compile(
            ModelConfig config,
            EngineConfig engine,
            Graph graph,
            WeightSource weights,
            KvPool pool,
            Device device,
            LoadProgress progress) {
        try {
            Unsupported.requireNone(device, graph, weights);
            ProgramLimits limits =
                    new ProgramLimits(engine.maxBatchTokens(), engine.maxSeqs(), engine.positions(config.context()));
            return device.compile(graph, weights, pool, limits, progress);
        } catch (RuntimeException | Error e) {
            pool.close();
            throw e;
        }
    }

    private static void requireInt4(Path dir, EngineConfig engine, Weights weights) {
        if (engine.activations() == Activations.INT8
                && engine.quantGroup().isEmpty()
                && weights.int4Group().isEmpty()) {
            throw new EngineException("--activations is int8, but no weights of " + dir
                    + " are int4; accepted: an int4 model, or --quant int4:G to make it one at load");
        }
    }

    /** A model without attention gets the smallest pool there is, so that callers treat all models alike. */
    private static KvConfig poolConfig(ModelConfig config, Graph graph, EngineConfig engine, String identity) {
        int blocks = engine.kvBlocks().orElseGet(() -> blocksFor(config.context(), engine.blockTokens()));
        return new KvConfig(
                blocks,
                engine.blockTokens(),
                Math.max(1, graph.layers().size()),
                graph.attention().map(Attention::kvHeads).orElse(1),
                graph.attention().map(Attention::headDim).orElse(1),
                engine.kvDtype(),
                engine.prefixCache(),
                identity);
    }

    /** Blocks that {@code tokens} positions take. */
    public static int blocksFor(int tokens, int blockTokens) {
        return Math.ceilDiv(tokens, blockTokens);
    }

    public ModelConfig config() {
        return config;
    }

    public EngineConfig engineConfig() {
        return engine;
    }

    /** The cache; callers allocate and release its blocks. */
    public KvPool pool() {
        return pool;
    }

    /** Positions in a block. */
    public int blockTokens() {
        return engine.blockTokens();
    }

    /** Bytes that the weights take. */
    public long weightBytes() {
        return program.weightBytes();
    }

    /** What is odd about the model's files and did not keep it from loading. */
    public List<String> notes() {
        List<String> all = new ArrayList<>(config.notes());
        all.addAll(notes);
        return all;
    }

    /** Tensors of the checkpoint that the model does not use, sorted. */
    public List<String> unusedTensors() {
        return unusedTensors;
    }

    /**
     * Checks a whole sequence before any of it is run.
     *
     * @throws EngineException if it is empty, holds an id outside the vocabulary, or is longer than the context
     */
    public void checkTokens(int[] tokens) {
        check.tokens(tokens, 0, "the sequence");
    }

    /**
     * Runs one step: keys and values of the new tokens go to the blocks of the sequences' tables, and those blocks'
     * fill is set. Nothing is written unless the whole batch is right.
     *
     * @return a row of logits for each token that they were asked for, in batch order; valid until the next step
     * @throws EngineException if the batch is refused
     * @throws io.tutti.kv.KvException if a block table names a block that its owner has given back
     */
    public Logits forward(ForwardBatch batch) {
        StepInputs step = run(batch);
        int size = Math.multiplyExact(step.outputs().length, config.vocabSize());
        if (logits.length != size) {
            logits = new float[size];
        }
        if (size > 0) {
            program.read(graph.logits(), logits);
        }
        return new Logits(config.vocabSize(), logits, step, advice());
    }

    private StepInputs run(ForwardBatch batch) {
        StepInputs step = check.inputs(batch);
        program.run(step);
        for (ForwardSeq seq : batch.sequences()) {
            setFill(seq);
        }
        return step;
    }

    private void setFill(ForwardSeq seq) {
        int size = engine.blockTokens();
        for (int b = seq.start() / size; b * size < seq.end(); b++) {
            pool.setFill(seq.blocks().get(b), Math.min(size, seq.end() - b * size));
        }
    }

    private float[] read(Buffer buffer, int rows) {
        float[] data = new float[Math.multiplyExact(rows, buffer.width())];
        program.read(buffer, data);
        return data;
    }

    private String advice() {
        return engine.kvDtype() == KvDtype.F16 ? "; an f16 cache holds magnitudes to 65504 only, try --kv f32" : "";
    }

    /**
     * Runs one sequence from its first token in blocks of its own, which are given back. For embeddings, and for tests.
     *
     * @param tokens the sequence, at least one token
     * @throws EngineException if the tokens are refused, or the model has no hidden states
     * @throws io.tutti.kv.KvException.Exhausted if the pool has too few blocks left
     */
    public Hidden runOnce(int[] tokens) {
        Buffer hidden = graph.hidden()
                .orElseThrow(() -> new EngineException("a " + config.modelType() + " model has no hidden states"));
        checkTokens(tokens);
        List<KvBlock> blocks = pool.alloc(blocksFor(tokens.length, engine.blockTokens()));
        try {
            float[] states = new float[Math.multiplyExact(tokens.length, hidden.width())];
            float[] last = {};
            for (int start = 0; start < tokens.length; start += engine.maxBatchTokens()) {
                int end = Math.min(tokens.length, start + engine.maxBatchTokens());
                int[] chunk = Arrays.copyOfRange(tokens, start, end);
                int outputs = end == tokens.length ? 1 : 0;
                last = forward(ForwardBatch.of(new ForwardSeq(chunk, start, blocks, outputs)))
                        .data();
                float[] part = read(hidden, chunk.length);
                System.arraycopy(part, 0, states, start * hidden.width(), part.length);
            }
            return new Hidden(states, last.clone());
        } finally {
            pool.release(blocks);
        }
    }

    /** Frees the model and its cache. */
    @Override
    public void close() {
        try {
            program.close();
        } finally {
            pool.close();
        }
    }
}
