package io.tutti.sample;

import java.util.Arrays;

/**
 * The tokens still in the running, in ascending order of their ids, and the filters that narrow them down. "The order" of the candidates
 * is by logit, descending, then by id, ascending.
 *
 * <p>No filter sorts ids: each finds the logit at which it cuts and how many of the candidates that tie there stay, which are those with
 * the lowest ids. The likeliest candidate always stays, so that exp(logit - max) is computed once for each, whatever the filters.
 */
final class Candidates {
    private final SamplerWorkspace workspace;
    private final int[] ids;
    private final double[] logits;
    private final double[] weights; // exp(logit - max) once weighed
    private final double[] scratch;
    private int count;
    private double max;

    Candidates(SamplerWorkspace workspace) {
        this.workspace = workspace;
        ids = new int[workspace.vocabSize()];
        logits = new double[workspace.vocabSize()];
        weights = workspace.exps();
        scratch = new double[workspace.vocabSize()];
    }

    int count() {
        return count;
    }

    int id(int index) {
        return ids[index];
    }

    /** Every token whose logit, divided by the temperature, is above -Infinity; {@code max} is the largest of these quotients. */
    void load(double[] row, double temperature, double max) {
        this.max = max;
        count = 0;
        for (int id = 0; id < row.length; id++) {
            double logit = row[id] / temperature;
            ids[count] = id;
            logits[count] = logit;
            count += logit > Double.NEGATIVE_INFINITY ? 1 : 0;
        }
    }

    /** Keeps the first k of the order; before {@link #weigh}. */
    void keepTopK(int k) {
        if (k >= count) {
            return;
        }
        System.arraycopy(logits, 0, scratch, 0, count);
        double cut = Selection.kthLargest(scratch, count, k);
        int above = 0;
        for (int i = 0; i < count; i++) {
            above += logits[i] > cut ? 1 : 0;
        }
        keepFrom(cut, k - above);
    }

    /** Computes the weights, as the filters and the draw below need them. */
    void weigh() {
        workspace.sumOfExps(logits, count, max);
    }

    /** Keeps the first of the order up to and including the one at which the sum of probabilities reaches p; all if none does. */
    void keepTopP(double p) {
        double z = SamplerWorkspace.sum(weights, count);
        // The candidates below this floor have a probability of (1 - p) / 2 at most, all together. So the crossing is
        // above it, and only what is above needs sorting. Should rounding make it otherwise (p within 1e-11 of 1), all
        // are sorted.
        double floor = (1 - p) * z / (2.0 * count);
        if (!keepNucleus(p, z, floor)) {
            keepNucleus(p, z, 0);
        }
    }

    private boolean keepNucleus(double p, double z, double floor) {
        double[] sorted = scratch;
        int size = 0;
        for (int i = 0; i < count; i++) {
            sorted[size] = logits[i];
            size += weights[i] >= floor ? 1 : 0;
        }
        Arrays.sort(sorted, 0, size);
        double cumulative = 0;
        for (int i = size - 1; i >= 0; i--) {
            double cut = sorted[i];
            cumulative += CorrectlyRounded.exp(cut - max) / z;
            if (cumulative >= p) {
                int end = i;
                while (end < size && sorted[end] == cut) {
                    end++;
                }
                keepFrom(cut, end - i);
                return true;
            }
        }
        return false;
    }

    /** Keeps those with at least m times the largest probability. */
    void keepMinP(double m) {
        double z = SamplerWorkspace.sum(weights, count);
        double floor = m * (1 / z); // the largest weight is exp(0)
        int kept = 0;
        for (int i = 0; i < count; i++) {
            move(i, kept);
            kept += weights[i] / z >= floor ? 1 : 0;
        }
        count = kept;
    }

    /** The first id whose cumulative probability, in ascending order of the ids, is above u; the last id if none is. */
    int draw(double u) {
        double z = SamplerWorkspace.sum(weights, count);
        double cumulative = 0;
        for (int i = 0; i < count; i++) {
            cumulative += weights[i] / z;
            if (u < cumulative) {
                return ids[i];
            }
        }
        return ids[count - 1];
    }

    /** Keeps what is above the cut, and of what is at it the {@code ties} lowest ids. */
    private void keepFrom(double cut, int ties) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            boolean keep = logits[i] > cut || (logits[i] == cut && ties-- > 0);
            move(i, kept);
            kept += keep ? 1 : 0;
        }
        count = kept;
    }

    private void move(int from, int to) {
        ids[to] = ids[from];
        logits[to] = logits[from];
        weights[to] = weights[from];
    }
}
