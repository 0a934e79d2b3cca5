package io.tutti.engine.runner;

import io.tutti.kv.KvBlock;
import java.util.List;

/**
 * A sequence's part of a step.
 *
 * @param tokens the new tokens, at least one
 * @param start the absolute position of the first of them; everything before it is in the cache already
 * @param blocks the sequence's block table: position p lives in block {@code p / blockTokens} of it
 * @param outputs how many of the tokens get logits, the last ones: 0 while a prompt goes on, 1 for the next token, more to
 *     check a draft, all to score a text
 */
public record ForwardSeq(int[] tokens, int start, List<KvBlock> blocks, int outputs) {

    public ForwardSeq {
        blocks = List.copyOf(blocks);
        if (outputs < 0 || outputs > tokens.length) {
            throw new IllegalArgumentException(
                    "logits of " + outputs + " tokens; accepted: 0 to " + tokens.length + ", the new ones");
        }
    }

    /** A part whose last token gets logits. */
    public ForwardSeq(int[] tokens, int start, List<KvBlock> blocks) {
        this(tokens, start, blocks, Math.min(1, tokens.length));
    }

    /** A part whose every token gets logits. */
    public static ForwardSeq scored(int[] tokens, int start, List<KvBlock> blocks) {
        return new ForwardSeq(tokens, start, blocks, tokens.length);
    }

    /** One more than the last new token's position. */
    int end() {
        return Math.addExact(start, tokens.length);
    }
}
