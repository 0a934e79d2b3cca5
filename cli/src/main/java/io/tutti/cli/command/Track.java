package io.tutti.cli.command;

import io.tutti.cli.console.RefusedException;
import io.tutti.engine.runner.EngineException;
import io.tutti.engine.runner.ForwardBatch;
import io.tutti.engine.runner.ForwardSeq;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.engine.selftest.Comparison;
import io.tutti.kv.KvBlock;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/** One sequence on one device, step by step, with what its logits cost and how they differ from the first track's. */
final class Track implements AutoCloseable {

    private static final double NANOS_PER_MILLI = 1e6;

    private final String name;
    private final ModelRunner runner;
    private final int chunk;
    private final List<KvBlock> blocks;
    private final double[] differences;
    private final LongStream.Builder newTokenNanos = LongStream.builder();
    private Comparison logits = Comparison.EMPTY;
    private int firstDifferingPosition = -1;
    private int sameGreedyTokens;
    private int promptTokens;
    private long promptNanos;

    /**
     * @param name how people tell it from the others
     * @param chunk tokens that a step takes at most
     * @param positions positions that the sequence may fill
     */
    Track(String name, ModelRunner runner, int chunk, int positions) {
        this.name = name;
        this.runner = runner;
        this.chunk = chunk;
        blocks = runner.pool().alloc(ModelRunner.blocksFor(positions, runner.blockTokens()));
        differences = new double[positions];
    }

    /** Computes what {@link #prompt} will, once, so that the time of compiling is not counted as the prompt's. */
    void warmUp(int[] sequence, int start, int end) {
        logits(sequence, start, end);
    }

    /** The logits of the prompt's tokens from {@code start} to {@code end}, {@code [end - start, vocab]}. */
    float[] prompt(int[] sequence, int start, int end) {
        long begin = System.nanoTime();
        float[] rows = logits(sequence, start, end);
        promptNanos += System.nanoTime() - begin;
        promptTokens += end - start;
        return rows;
    }

    /** The logits of the new token at {@code position}, {@code [1, vocab]}. */
    float[] newToken(int[] sequence, int position) {
        long begin = System.nanoTime();
        float[] row = logits(sequence, position, position + 1);
        newTokenNanos.add(System.nanoTime() - begin);
        return row;
    }

    private float[] logits(int[] sequence, int start, int end) {
        int vocab = runner.config().vocabSize();
        if (end - start <= chunk) {
            return forward(sequence, start, end);
        }
        float[] rows = new float[(end - start) * vocab];
        for (int from = start; from < end; from += chunk) {
            float[] part = forward(sequence, from, Math.min(end, from + chunk));
            System.arraycopy(part, 0, rows, (from - start) * vocab, part.length);
        }
        return rows;
    }

    private float[] forward(int[] sequence, int start, int end) {
        ForwardSeq part = ForwardSeq.scored(Arrays.copyOfRange(sequence, start, end), start, blocks);
        try {
            return runner.forward(ForwardBatch.of(part)).data().clone();
        } catch (EngineException e) {
            throw new RefusedException(name + ": " + e.getMessage(), e);
        }
    }

    /** Takes note of how this track's logits from position {@code start} on, {@code actual}, differ. */
    void compare(float[] expected, float[] actual, int start) {
        int vocab = runner.config().vocabSize();
        for (int row = 0; row < expected.length / vocab; row++) {
            Comparison one = Comparison.of(expected, actual, row * vocab, (row + 1) * vocab);
            logits = logits.and(one);
            differences[start + row] = one.largestDifference();
            if (firstDifferingPosition < 0 && !one.exact()) {
                firstDifferingPosition = start + row;
            }
        }
    }

    /** Takes note of which token this track would have chosen, where {@code expected} goes on. */
    void choose(int expected, int chosen) {
        if (chosen == expected) {
            sameGreedyTokens++;
        }
    }

    TrackFigures figures() {
        long[] nanos = newTokenNanos.build().sorted().toArray();
        return new TrackFigures(
                name,
                logits,
                differences,
                firstDifferingPosition,
                sameGreedyTokens,
                promptNanos / NANOS_PER_MILLI / promptTokens,
                nanos.length == 0 ? Double.NaN : nanos[nanos.length / 2] / NANOS_PER_MILLI);
    }

    /** Gives the cache's blocks back; the runner is the caller's. */
    @Override
    public void close() {
        runner.pool().release(blocks);
    }
}
