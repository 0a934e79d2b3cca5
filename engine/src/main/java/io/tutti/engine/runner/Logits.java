package io.tutti.engine.runner;

import io.tutti.engine.backend.StepInputs;

/**
 * The logits of a step, a row for each token that they were asked for, in batch order. The runner's next step overwrites
 * them.
 */
public final class Logits {

    private final int vocab;
    private final float[] data;
    private final StepInputs step;
    private final String advice;
    private boolean finite;

    /** @param advice what may help against logits that are not finite, after a semicolon; or nothing */
    Logits(int vocab, float[] data, StepInputs step, String advice) {
        this.vocab = vocab;
        this.data = data;
        this.step = step;
        this.advice = advice;
    }

    /** V. */
    public int vocab() {
        return vocab;
    }

    public int rows() {
        return step.outputs().length;
    }

    /**
     * All rows, {@code [rows, V]}.
     *
     * @throws EngineException if one holds NaN or +Inf
     */
    public float[] data() {
        if (!finite) {
            requireFinite();
            finite = true;
        }
        return data;
    }

    /** The same unseen, for a sampler, which looks at every logit itself. */
    public float[] unchecked() {
        return data;
    }

    /**
     * A copy of row {@code i}, {@code [V]}.
     *
     * @throws EngineException if any row holds NaN or +Inf
     */
    public float[] row(int i) {
        float[] row = new float[vocab];
        System.arraycopy(data(), Math.multiplyExact(i, vocab), row, 0, vocab);
        return row;
    }

    private void requireFinite() {
        for (int i = 0; i < data.length; i++) {
            if (!(data[i] < Float.POSITIVE_INFINITY)) {
                int token = step.outputs()[i / vocab];
                int sequence = 0;
                while (step.sequenceStarts()[sequence + 1] <= token) {
                    sequence++;
                }
                throw new EngineException("sequence " + sequence + ", position " + step.positions()[token]
                        + ": the logit of token " + i % vocab + " is " + data[i] + advice);
            }
        }
    }
}
