package io.tutti.sample;

/**
 * The scratch memory of samplers, about 36 bytes a token of the vocabulary, and the threads they may use. Samplers that never run at the
 * same time can share one.
 */
public final class SamplerWorkspace {
    private final int vocabSize;
    private final ParallelFor parallel;
    private final double[] logits;
    private final double[] exps;
    private Candidates candidates;

    /** A workspace for rows of {@code vocabSize} logits whose exponentials {@code parallel} computes. */
    public SamplerWorkspace(int vocabSize, ParallelFor parallel) {
        if (vocabSize < 1) {
            throw new IllegalArgumentException("vocabulary size is " + vocabSize + "; accepted: 1 and more");
        }
        this.vocabSize = vocabSize;
        this.parallel = parallel;
        logits = new double[vocabSize];
        exps = new double[vocabSize];
    }

    int vocabSize() {
        return vocabSize;
    }

    /** Of the row at hand, [vocabSize]. */
    double[] logits() {
        return logits;
    }

    /** Made when the first token is drawn, which a greedy sampler never does. */
    Candidates candidates() {
        if (candidates == null) {
            candidates = new Candidates(this);
        }
        return candidates;
    }

    /** Where {@link #sumOfExps} leaves its terms, [vocabSize]. */
    double[] exps() {
        return exps;
    }

    /** The sum of exp(values[i] - max) over the first {@code count} values, in their order; the terms stay in {@link #exps}. */
    double sumOfExps(double[] values, int count, double max) {
        parallel.run(count, (from, to) -> {
            for (int i = from; i < to; i++) {
                exps[i] = CorrectlyRounded.exp(values[i] - max);
            }
        });
        return sum(exps, count);
    }

    /** From left to right, so that everybody's sum has the same bits. */
    static double sum(double[] terms, int count) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += terms[i];
        }
        return sum;
    }
}
