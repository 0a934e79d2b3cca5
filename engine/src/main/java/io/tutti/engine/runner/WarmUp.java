package io.tutti.engine.runner;

import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.host.HostBackend;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.model.StoredModel;
import io.tutti.kv.KvBlock;
import io.tutti.modelio.weights.WeightSource;
import io.tutti.modelio.weights.Weights;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Runs a small model on the host while a large one that is built and stored alike is read and loaded, so that the JVM
 * has compiled the kernels when the first token wants them. Until then each vector operation makes an object on the
 * heap, and a token takes a second.
 */
public final class WarmUp implements AutoCloseable {

    /** As often as the compiler asks to see a kernel, and some more. */
    private static final int ROUNDS = 150;

    /** Tokens of the prompt: enough for each way in which a product takes several. */
    private static final int PROMPT = 12;

    /** Positions; and tokens of the vocabulary, one of which is enough. */
    private static final int TOKENS = 16;

    private final Thread thread;
    private volatile boolean stopped;

    private WarmUp(Consumer<WarmUp> work) {
        thread = Thread.ofPlatform().name("tutti-warm-up").daemon().unstarted(() -> work.accept(this));
    }

    /**
     * Begins in a thread of its own, which ends by itself. What is wrong with the model is for whoever loads it to
     * tell.
     *
     * @param model the large one, whose headers are then read for the load too
     * @param engine how it will run
     */
    @SuppressWarnings("EmptyCatch")
    public static WarmUp begin(StoredModel model, EngineConfig engine) {
        WarmUp warmUp = new WarmUp(self -> {
            try {
                run(model, engine, () -> self.stopped);
            } catch (RuntimeException | OutOfMemoryError e) {
            }
        });
        warmUp.thread.start();
        return warmUp;
    }

    /** None at all, for a device that has no use for it. */
    public static WarmUp none() {
        return new WarmUp(self -> {});
    }

    /** Runs the small model until it has run often enough, or {@code stopped} says so; returns how often. */
    static int run(StoredModel model, EngineConfig engine, BooleanSupplier stopped) {
        if (model.config().graph().layers().isEmpty()) {
            return 0;
        }
        Weights weights = model.weights();
        ModelConfig config = model.config().with(weights);
        Graph graph = config.graph();
        return run(config, ZeroWeights.like(graph, engine.weights(weights, graph)), engine, stopped);
    }

    /** {@link #run(StoredModel, EngineConfig, BooleanSupplier)} with these weights. */
    static int run(ModelConfig config, WeightSource weights, EngineConfig engine, BooleanSupplier stopped) {
        int count = ModelRunner.blocksFor(TOKENS, engine.blockTokens());
        EngineConfig small = engine.withKvBlocks(count).withPrefixCache(false).withMaxBatchTokens(TOKENS);
        Device host = new HostBackend().devices(new BackendOptions(1)).getFirst();
        int rounds = 0;
        try (ModelRunner runner = ModelRunner.of(small(config), small, weights, host)) {
            List<KvBlock> blocks = runner.pool().alloc(count);
            while (rounds < ROUNDS && !stopped.getAsBoolean()) {
                runner.forward(ForwardBatch.of(new ForwardSeq(new int[PROMPT], 0, blocks)));
                runner.forward(ForwardBatch.of(new ForwardSeq(new int[1], PROMPT, blocks)));
                rounds++;
            }
            runner.pool().release(blocks);
        }
        return rounds;
    }

    /** The same kinds of layers, one of each; heads keep their size, since kernels differ by it. */
    private static ModelConfig small(ModelConfig config) {
        return config.with(SmallGraph.of(config.graph(), ZeroWeights.WIDTH, TOKENS))
                .withContext(Math.min(TOKENS, config.longestContext()));
    }

    @Override
    public void close() {
        end();
    }

    /** Ends it, and waits for that. */
    public void end() {
        stopped = true;
        finish();
    }

    /** Waits until it has ended by itself. */
    public void finish() {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
