package io.tutti.cli.bench;

import io.tutti.cli.console.Interrupts;
import io.tutti.engine.runner.ForwardBatch;
import io.tutti.engine.runner.ForwardSeq;
import io.tutti.engine.runner.Logits;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvBlock;
import io.tutti.sample.ParallelFor;
import io.tutti.sample.Pcg32;
import io.tutti.sample.Sampler;
import io.tutti.sample.SamplerWorkspace;
import io.tutti.sample.SamplingParams;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A loaded model that does a workload over and over: prompts of random tokens, then greedy ones, whatever they are. Contexts
 * are filled once; decoding after one writes the same positions each time.
 */
public final class BenchedModel implements AutoCloseable {

    private static final long SEED = 1;
    private static final double NANOS = 1e9;

    private final ModelRunner runner;
    private final Workload work;
    private final int chunk;
    private final Interrupts interrupts;
    private final SamplerWorkspace workspace;
    private final int[][] tokens;
    /** The blocks of each filled context, sequence by sequence. */
    private final Map<Integer, List<List<KvBlock>>> filled = new HashMap<>();

    /**
     * Takes a model whose cache has room for {@link Workload#blocks}.
     *
     * @param chunk prompt tokens that a step takes at most
     * @param parallel runs the sampler's loops, as in {@code generate}
     */
    public BenchedModel(ModelRunner runner, Workload work, int chunk, ParallelFor parallel, Interrupts interrupts) {
        this.runner = runner;
        this.work = work;
        this.chunk = chunk;
        this.interrupts = interrupts;
        int vocab = runner.config().vocabSize();
        workspace = new SamplerWorkspace(vocab, parallel);
        tokens = new int[work.batch()][];
        Arrays.setAll(tokens, s -> randomTokens(vocab, work.positions(), s));
    }

    /** The tokens of sequence {@code sequence}, the same in every run. */
    public static int[] randomTokens(int vocab, int count, int sequence) {
        Pcg32 random = new Pcg32(SEED, sequence);
        int[] tokens = new int[count];
        Arrays.setAll(tokens, _ -> (int) (random.nextDouble() * vocab));
        return tokens;
    }

    /** Steps that {@link #fill} takes, for a progress bar. */
    public int fillSteps() {
        return work.batch()
                * work.contexts().stream()
                        .mapToInt(context -> Math.ceilDiv(context, chunk))
                        .sum();
    }

    /** Fills the contexts; {@code step} runs after each step. */
    public void fill(Runnable step) {
        for (int context : work.contexts()) {
            if (context > 0) {
                List<List<KvBlock>> blocks = allocate(work.batch(), context + work.decode());
                filled.put(context, blocks);
                for (int s = 0; s < blocks.size(); s++) {
                    prompt(tokens[s], context, blocks.get(s), step);
                }
            }
        }
    }

    /** Seconds that the prompt takes, to the first new token. */
    double prefill() {
        List<List<KvBlock>> blocks = allocate(1, work.prefill());
        try {
            Sampler sampler = sampler();
            long begin = System.nanoTime();
            Logits logits = prompt(tokens[0], work.prefill(), blocks.getFirst(), () -> {});
            sampler.next(logits.unchecked(), 0);
            return (System.nanoTime() - begin) / NANOS;
        } finally {
            release(blocks);
        }
    }

    /** Seconds that the new tokens of all sequences take, after {@code context}. */
    double decode(int context) {
        if (context > 0) {
            return decode(context, filled.get(context));
        }
        List<List<KvBlock>> blocks = allocate(work.batch(), work.decode());
        try {
            return decode(0, blocks);
        } finally {
            release(blocks);
        }
    }

    private double decode(int context, List<List<KvBlock>> blocks) {
        int batch = work.batch();
        int vocab = runner.config().vocabSize();
        Sampler[] samplers = new Sampler[batch];
        Arrays.setAll(samplers, _ -> sampler());
        int[] next = new int[batch];
        Arrays.setAll(next, s -> tokens[s][context]);
        long begin = System.nanoTime();
        for (int i = 0; i < work.decode(); i++) {
            interrupts.check();
            List<ForwardSeq> step = new ArrayList<>(batch);
            for (int s = 0; s < batch; s++) {
                step.add(new ForwardSeq(new int[] {next[s]}, context + i, blocks.get(s)));
            }
            Logits logits = runner.forward(new ForwardBatch(step));
            for (int s = 0; s < batch; s++) {
                next[s] = samplers[s].next(logits.unchecked(), s * vocab);
            }
        }
        return (System.nanoTime() - begin) / NANOS;
    }

    /** Runs the first {@code count} of {@code tokens}; returns the last one's logits. */
    private Logits prompt(int[] tokens, int count, List<KvBlock> blocks, Runnable step) {
        Logits logits = null;
        for (int start = 0; start < count; start += chunk) {
            interrupts.check();
            int end = Math.min(count, start + chunk);
            int[] part = Arrays.copyOfRange(tokens, start, end);
            logits = runner.forward(ForwardBatch.of(new ForwardSeq(part, start, blocks, end == count ? 1 : 0)));
            step.run();
        }
        return logits;
    }

    private Sampler sampler() {
        return new Sampler(workspace, SamplingParams.greedy(), new int[0], new Pcg32(SEED, 0));
    }

    private List<List<KvBlock>> allocate(int sequences, int positions) {
        List<List<KvBlock>> blocks = new ArrayList<>(sequences);
        for (int s = 0; s < sequences; s++) {
            blocks.add(runner.pool().alloc(ModelRunner.blocksFor(positions, runner.blockTokens())));
        }
        return blocks;
    }

    private void release(List<List<KvBlock>> blocks) {
        blocks.forEach(runner.pool()::release);
    }

    /** Gives the blocks back; the model is the caller's to close. */
    @Override
    public void close() {
        filled.values().forEach(this::release);
        filled.clear();
    }
}
