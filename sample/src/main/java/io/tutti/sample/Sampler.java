package io.tutti.sample;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Chooses a request's tokens, one from each row of logits: the same ids and logprobs, bit for bit, on every platform. The steps, all in
 * f64 with sums from left to right and correctly rounded exp and log:
 *
 * <ol>
 *   <li>Penalties: repetition over the distinct ids of prompt and output, presence and frequency over the output's.
 *   <li>The logprob of whatever is chosen is that of the softmax at this point.
 *   <li>Greedy: the largest logit, ties to the lowest id; no draw, and what follows does not apply.
 *   <li>Temperature, then top-k, top-p and min-p, each over what the one before left.
 *   <li>One draw, always, against the cumulative probabilities in ascending order of the ids.
 * </ol>
 *
 * <p>A sampler keeps its request's history as it goes: each token chosen joins the output. Not safe for use by several threads at once.
 *
 * @see <a href="https://arxiv.org/abs/1909.05858">Keskar et al., CTRL, 2019, for the repetition penalty</a>
 * @see <a href="https://arxiv.org/abs/1904.09751">Holtzman et al., The Curious Case of Neural Text Degeneration, 2020, for top-p</a>
 * @see <a href="https://arxiv.org/abs/2407.01082">Nguyen et al., Turning Up the Heat: Min-p Sampling, 2024</a>
 */
public final class Sampler {
    private final SamplingParams params;
    private final Pcg32 rng;
    private final SamplerWorkspace workspace;
    private final TokenHistory history; // null if no penalty asks for it
    private double maxLogit; // of the row last chosen from, after its penalties

    /** A sampler with memory of its own that uses the calling thread alone. */
    public Sampler(int vocabSize, SamplingParams params, int[] prompt, Pcg32 rng) {
        this(new SamplerWorkspace(vocabSize, ParallelFor.SERIAL), params, prompt, rng);
    }

    /**
     * @param prompt the ids of the prompt, for the repetition penalty
     * @param rng the request's own generator, {@code Streams.stream(seed, Streams.SAMPLE)}; left alone while greedy, else drawn from once
     *     a token
     * @throws IllegalArgumentException if an id of the prompt is outside the vocabulary
     */
    public Sampler(SamplerWorkspace workspace, SamplingParams params, int[] prompt, Pcg32 rng) {
        this.workspace = workspace;
        this.params = params;
        this.rng = rng;
        for (int id : prompt) {
            requireInVocabulary(id);
        }
        history = params.hasPenalties() ? new TokenHistory(workspace.vocabSize(), params, prompt) : null;
    }

    /**
     * Chooses one token, after a history given whole. A loop that generates keeps a sampler instead.
     *
     * @param logits the row, [vocabulary]
     * @param prompt ids of the prompt
     * @param output ids chosen so far
     */
    public static SampledToken sample(float[] logits, SamplingParams params, int[] prompt, int[] output, Pcg32 rng) {
        Sampler sampler = new Sampler(logits.length, params, prompt, rng);
        for (int id : output) {
            sampler.addOutput(id);
        }
        return sampler.nextWithLogprob(logits, 0);
    }

    /**
     * The next token's id.
     *
     * @param logits holds the row, [vocabulary], from {@code offset} on; not changed
     * @throws InvalidLogitsException if a logit is NaN or +Infinity, or all are -Infinity
     * @throws IndexOutOfBoundsException if the array ends before the row does
     */
    public int next(float[] logits, int offset) {
        int id = choose(logits, offset);
        addOutput(id);
        return id;
    }

    /** As {@link #next}, with the token's logprob, which costs an exponential for each token of the vocabulary. */
    public SampledToken nextWithLogprob(float[] logits, int offset) {
        int id = next(logits, offset);
        return new SampledToken(id, logprob(id));
    }

    /** Adds to the output a token that this sampler did not choose, as when a request is resumed. */
    public void addOutput(int id) {
        requireInVocabulary(id);
        if (history != null) {
            history.addOutput(id);
        }
    }

    private int choose(float[] logits, int offset) {
        double[] row = workspace.logits();
        Objects.checkFromIndexSize(offset, row.length, logits.length);
        for (int id = 0; id < row.length; id++) {
            row[id] = logits[offset + id];
        }
        if (history != null) {
            history.penalize(row);
        }
        int likeliest = argmax(row, logits, offset);
        maxLogit = row[likeliest];
        return params.isGreedy() ? likeliest : draw(row);
    }

    /** The lowest id of the largest logit. */
    private int argmax(double[] row, float[] logits, int offset) {
        int best = 0;
        double max = Double.NEGATIVE_INFINITY;
        for (int id = 0; id < row.length; id++) {
            double logit = row[id];
            if (!(logit < Double.POSITIVE_INFINITY)) {
                throw new InvalidLogitsException(
                        logits[offset + id] < Float.POSITIVE_INFINITY ? params.penalties() : List.of(),
                        "the logit of token " + id + " is " + logit + "; accepted: a finite number or -Infinity");
            }
            if (logit > max) {
                max = logit;
                best = id;
            }
        }
        if (max == Double.NEGATIVE_INFINITY) {
            throw new InvalidLogitsException(
                    hasNumber(logits, offset, row.length) ? params.penalties() : List.of(),
                    "every logit is -Infinity; accepted: at least one finite number");
        }
        return best;
    }

    private static boolean hasNumber(float[] logits, int offset, int count) {
        for (int i = offset; i < offset + count; i++) {
            if (Float.isFinite(logits[i])) {
                return true;
            }
        }
        return false;
    }

    private int draw(double[] row) {
        double max = maxLogit / params.temperature();
        if (Double.isInfinite(max)) {
            List<String> causes = new ArrayList<>(params.penalties());
            causes.add("temperature " + params.temperature());
            throw new InvalidLogitsException(
                    causes,
                    "the largest logit, " + maxLogit + ", divided by the temperature is " + max
                            + "; accepted: a finite number");
        }
        Candidates candidates = workspace.candidates();
        candidates.load(row, params.temperature(), max);
        if (params.topK() > 0) {
            candidates.keepTopK(params.topK());
        }
        candidates.weigh();
        if (params.topP() < 1) {
            candidates.keepTopP(params.topP());
        }
        if (params.minP() > 0) {
            candidates.keepMinP(params.minP());
        }
        return candidates.draw(rng.nextDouble());
    }

    /** Of the row last chosen from, after its penalties. */
    private double logprob(int id) {
        double[] row = workspace.logits();
        double z = workspace.sumOfExps(row, row.length, maxLogit);
        return (row[id] - maxLogit) - CorrectlyRounded.log(z);
    }

    private void requireInVocabulary(int id) {
        if (id < 0 || id >= workspace.vocabSize()) {
            throw new IllegalArgumentException(
                    "token id is " + id + "; accepted: 0 to " + (workspace.vocabSize() - 1) + ", the vocabulary");
        }
    }
}
