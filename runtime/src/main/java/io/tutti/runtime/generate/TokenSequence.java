package io.tutti.runtime.generate;

import io.tutti.engine.runner.Logits;
import io.tutti.sample.InvalidLogitsException;
import io.tutti.sample.SampledToken;
import io.tutti.sample.Sampler;
import io.tutti.sample.SamplerWorkspace;
import io.tutti.sample.Streams;
import java.util.Arrays;
import java.util.Optional;

/**
 * The tokens of one text, as a state machine: it says which tokens run next, takes their logits, and chooses a token from
 * them. It runs nothing itself, so its tokens may run alone or in a batch with others, few or many in a step; it chooses
 * the same tokens.
 *
 * <p>It first wants the prompt to run, from the first token that the cache does not have, and then each token that it has
 * chosen. {@link GeneratedText} knows when the text is complete.
 */
final class TokenSequence {

    private final GenerationRequest request;
    private final Sampler sampler;
    private int position;
    /** The last token chosen, or -1 while the prompt runs. */
    private int last = -1;

    /**
     * @param workspace of the sampler; sequences that choose one after another may share it
     * @param cached tokens of the prompt that are in the cache already, fewer than it has
     */
    TokenSequence(GenerationRequest request, SamplerWorkspace workspace, int cached) {
        this.request = request;
        sampler = new Sampler(
                workspace, request.sampling(), request.prompt(), Streams.stream(request.seed(), Streams.SAMPLE));
        position = cached;
    }

    /** Tokens that have run or were in the cache; the position of the first of {@link #next}. */
    int position() {
        return position;
    }

    /** Whether the prompt has not run whole. */
    boolean isInPrompt() {
        return last < 0;
    }

    /** The tokens to run next: of a prompt at most {@code limit}, afterwards the last token chosen. */
    int[] next(int limit) {
        if (!isInPrompt()) {
            return new int[] {last};
        }
        int[] prompt = request.prompt();
        return Arrays.copyOfRange(prompt, position, position + Math.min(limit, prompt.length - position));
    }

    /** How many rows of logits it wants of a step that runs {@code count} tokens: one if a token is chosen after them. */
    int outputs(int count) {
        return isInPrompt() && position + count < request.prompt().length ? 0 : 1;
    }

    /**
     * The tokens that were {@link #next} have run.
     *
     * @param count how many
     * @param logits of the step
     * @param row this sequence's, if it wanted one
     * @return the token that follows, with its logprob if the request wants it; empty while more of the prompt has to run
     * @throws InvalidLogitsException if no token can be chosen
     * @throws io.tutti.engine.runner.EngineException if the logits are not numbers
     */
    Optional<SampledToken> ran(int count, Logits logits, int row) {
        boolean chooses = outputs(count) > 0;
        position += count;
        if (!chooses) {
            return Optional.empty();
        }
        SampledToken token = choose(logits, row * logits.vocab());
        last = token.id();
        return Optional.of(token);
    }

    private SampledToken choose(Logits logits, int offset) {
        float[] data = logits.unchecked();
        try {
            return request.logprobs()
                    ? sampler.nextWithLogprob(data, offset)
                    : new SampledToken(sampler.next(data, offset), Double.NaN);
        } catch (InvalidLogitsException e) {
            logits.data(); // says more of a row that the model spoilt
            throw e;
        }
    }
}
