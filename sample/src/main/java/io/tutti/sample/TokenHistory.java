package io.tutti.sample;

import java.util.Arrays;
import java.util.BitSet;

/** Which tokens a request has seen, and how often each occurs in its output: what the penalties go by. */
final class TokenHistory {
    private final SamplingParams params;
    private final BitSet seen = new BitSet(); // in the prompt or the output
    private final int[] outputCounts; // [vocabSize]
    private int[] distinct = new int[64]; // the seen ids, each once
    private int distinctCount;

    TokenHistory(int vocabSize, SamplingParams params, int[] prompt) {
        this.params = params;
        outputCounts = new int[vocabSize];
        for (int id : prompt) {
            see(id);
        }
    }

    void addOutput(int id) {
        see(id);
        outputCounts[id]++;
    }

    private void see(int id) {
        if (seen.get(id)) {
            return;
        }
        seen.set(id);
        if (distinctCount == distinct.length) {
            distinct = Arrays.copyOf(distinct, 2 * distinctCount);
        }
        distinct[distinctCount++] = id;
    }

    /** Applies the repetition penalty to all that was seen, then the presence and frequency penalties to the output. */
    void penalize(double[] logits) {
        for (int i = 0; i < distinctCount; i++) {
            int id = distinct[i];
            double logit = logits[id];
            logit = logit > 0 ? logit / params.repetitionPenalty() : logit * params.repetitionPenalty();
            int occurrences = outputCounts[id];
            if (occurrences > 0) {
                logit -= params.frequencyPenalty() * occurrences + params.presencePenalty();
            }
            logits[id] = logit;
        }
    }
}
