package io.tutti.engine.compare;

import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.runner.ModelRunner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** One sequence in steps, every token's logits wanted; block b of the cache holds its b-th positions. */
final class TokenSteps {

    private final int[] tokens;
    private final int chunk;
    private final int blockTokens;

    /** @param chunk tokens that a step takes at most */
    TokenSteps(int[] tokens, int chunk, int blockTokens) {
        this.tokens = tokens;
        this.chunk = chunk;
        this.blockTokens = blockTokens;
    }

    /** Tokens in all. */
    int tokens() {
        return tokens.length;
    }

    /** Tokens of the longest step. */
    int longest() {
        return Math.min(chunk, tokens.length);
    }

    /** Numbers in a buffer over all steps. */
    int numbers(Buffer buffer) {
        return Math.multiplyExact(tokens.length, buffer.width());
    }

    /** Steps over the sequence's own ids. */
    List<StepInputs> ofTokens() {
        return steps(tokens);
    }

    /** Steps whose ids are the tokens' numbers in the sequence. */
    List<StepInputs> ofRows() {
        return steps(IntStream.range(0, tokens.length).toArray());
    }

    private List<StepInputs> steps(int[] ids) {
        int[] blocks = IntStream.range(0, ModelRunner.blocksFor(tokens.length, blockTokens))
                .toArray();
        List<StepInputs> steps = new ArrayList<>();
        for (int start = 0; start < ids.length; start += chunk) {
            int end = Math.min(ids.length, start + chunk);
            int[] positions = IntStream.range(start, end).toArray();
            steps.add(new StepInputs(
                    Arrays.copyOfRange(ids, start, end),
                    positions,
                    positions,
                    new int[] {0, end - start},
                    blocks,
                    new int[] {0, blocks.length},
                    IntStream.range(0, end - start).toArray()));
        }
        return steps;
    }
}
