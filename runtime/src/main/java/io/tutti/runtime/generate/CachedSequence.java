package io.tutti.runtime.generate;

import io.tutti.engine.runner.ForwardBatch;
import io.tutti.engine.runner.ForwardSeq;
import io.tutti.engine.runner.Logits;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A sequence of tokens whose keys and values are in the cache. The next prompt takes up as much of it as begins alike, whole
 * blocks and part of one, and only what is new is computed. A key depends on its token, on what stands before it and on its
 * position, and on nothing else, so the bits show no difference.
 *
 * <p>It holds its blocks until it is closed or keeps fewer. One thread uses it.
 */
public final class CachedSequence implements AutoCloseable {

    private final ModelRunner runner;
    private final List<KvBlock> blocks = new ArrayList<>();
    private int[] tokens = new int[64];
    private int length;

    /** An empty sequence. */
    public CachedSequence(ModelRunner runner) {
        this.runner = runner;
    }

    /** Tokens whose keys and values are there. */
    public int length() {
        return length;
    }

    /**
     * Keeps what this sequence and {@code prompt} have in common at their beginning, but never the whole prompt, whose last
     * token has to run for its logits. The blocks of the rest are given back.
     *
     * @return how many tokens of the prompt are kept
     */
    int keepPrefixOf(int[] prompt) {
        int differs = Arrays.mismatch(tokens, 0, length, prompt, 0, prompt.length);
        int common = differs < 0 ? length : differs;
        keep(Math.min(common, prompt.length - 1));
        return length;
    }

    /**
     * Runs the tokens that follow.
     *
     * @param outputs of how many of them, the last ones, the logits are wanted
     * @throws io.tutti.kv.KvException.Exhausted if the pool has too few blocks
     */
    Logits extend(int[] next, int outputs) {
        int end = length + next.length;
        int needed = ModelRunner.blocksFor(end, runner.blockTokens());
        blocks.addAll(runner.pool().alloc(needed - blocks.size()));
        Logits logits = runner.forward(ForwardBatch.of(new ForwardSeq(next, length, blocks, outputs)));
        if (end > tokens.length) {
            tokens = Arrays.copyOf(tokens, Math.max(end, 2 * tokens.length));
        }
        System.arraycopy(next, 0, tokens, length, next.length);
        length = end;
        return logits;
    }

    private void keep(int kept) {
        int blockTokens = runner.blockTokens();
        List<KvBlock> rest = blocks.subList(ModelRunner.blocksFor(kept, blockTokens), blocks.size());
        runner.pool().release(rest);
        rest.clear();
        if (kept % blockTokens != 0) {
            runner.pool().setFill(blocks.getLast(), kept % blockTokens);
        }
        length = kept;
    }

    /** Gives all blocks back; the sequence is empty then. */
    @Override
    public void close() {
        keep(0);
    }
}
