package io.tutti.engine.runner;

import java.util.List;

/**
 * What one step computes.
 *
 * @param sequences the sequences, of any lengths and starts
 * @param outputs which tokens' logits are wanted
 */
public record ForwardBatch(List<ForwardSeq> sequences, Outputs outputs) {

    /** Which of a step's tokens get logits. */
    public enum Outputs {
        /** The last token of each sequence. */
        LAST,
        /** Every token. */
        ALL
    }

    public ForwardBatch {
        sequences = List.copyOf(sequences);
    }

    /** A step that gives logits for each sequence's last token. */
    public static ForwardBatch of(ForwardSeq... sequences) {
        return new ForwardBatch(List.of(sequences), Outputs.LAST);
    }
}
