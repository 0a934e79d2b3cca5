package io.tutti.engine.runner;

import java.util.List;

/**
 * What one step computes.
 *
 * @param sequences the sequences, of any lengths and starts
 */
public record ForwardBatch(List<ForwardSeq> sequences) {

    public ForwardBatch {
        sequences = List.copyOf(sequences);
    }

    public static ForwardBatch of(ForwardSeq... sequences) {
        return new ForwardBatch(List.of(sequences));
    }
}
