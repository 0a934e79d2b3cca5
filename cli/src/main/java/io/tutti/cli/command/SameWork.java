package io.tutti.cli.command;

import io.tutti.engine.runner.ForwardBatch;
import io.tutti.engine.runner.ForwardSeq;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The logits of several sequences at every position, computed in different ways. */
final class SameWork {

    private final ModelRunner runner;
    private final List<int[]> sequences;

    /** @param sequences token ids; together no more than a step takes */
    SameWork(ModelRunner runner, List<int[]> sequences) {
        this.runner = runner;
        this.sequences = sequences;
    }

    /** Positions in all, each with a row of logits. */
    int positions() {
        return sequences.stream().mapToInt(s -> s.length).sum();
    }

    /** Each sequence in steps of its own, of at most {@code chunk} tokens; {@code [positions, vocab]}. */
    float[] oneByOne(int chunk) {
        float[] all = new float[positions() * runner.config().vocabSize()];
        int at = 0;
        for (int[] tokens : sequences) {
            List<KvBlock> blocks = blocks(tokens);
            try {
                for (int start = 0; start < tokens.length; start += chunk) {
                    int end = Math.min(tokens.length, start + chunk);
                    float[] part =
                            logits(List.of(ForwardSeq.scored(Arrays.copyOfRange(tokens, start, end), start, blocks)));
                    System.arraycopy(part, 0, all, at, part.length);
                    at += part.length;
                }
            } finally {
                runner.pool().release(blocks);
            }
        }
        return all;
    }

    /** All sequences in one step. */
    float[] together() {
        List<KvBlock> held = new ArrayList<>();
        List<ForwardSeq> batch = new ArrayList<>();
        try {
            for (int[] tokens : sequences) {
                List<KvBlock> blocks = blocks(tokens);
                held.addAll(blocks);
                batch.add(ForwardSeq.scored(tokens, 0, blocks));
            }
            return logits(batch);
        } finally {
            runner.pool().release(held);
        }
    }

    /** Blocks that {@link #together} holds at once. */
    static int blocksFor(List<int[]> sequences, int blockTokens) {
        return sequences.stream()
                .mapToInt(s -> ModelRunner.blocksFor(s.length, blockTokens))
                .sum();
    }

    private float[] logits(List<ForwardSeq> batch) {
        return runner.forward(new ForwardBatch(batch)).data().clone();
    }

    private List<KvBlock> blocks(int[] tokens) {
        return runner.pool().alloc(ModelRunner.blocksFor(tokens.length, runner.blockTokens()));
    }

    /** Numbers whose bits differ. */
    static long differing(float[] a, float[] b) {
        long differing = Math.abs(a.length - b.length);
        for (int i = 0; i < Math.min(a.length, b.length); i++) {
            if (Float.floatToRawIntBits(a[i]) != Float.floatToRawIntBits(b[i])) {
                differing++;
            }
        }
        return differing;
    }
}
