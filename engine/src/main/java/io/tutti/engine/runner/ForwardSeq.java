package io.tutti.engine.runner;

import io.tutti.kv.KvBlock;
import java.util.List;

/**
 * A sequence's part of a step.
 *
 * @param tokens the new tokens, at least one
 * @param start the absolute position of the first of them; everything before it is in the cache already
 * @param blocks the sequence's block table: position p lives in block {@code p / blockTokens} of it
 */
public record ForwardSeq(int[] tokens, int start, List<KvBlock> blocks) {

    public ForwardSeq {
        blocks = List.copyOf(blocks);
    }

    /** One more than the last new token's position. */
    int end() {
        return Math.addExact(start, tokens.length);
    }
}
