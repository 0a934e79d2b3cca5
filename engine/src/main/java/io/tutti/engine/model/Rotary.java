package io.tutti.engine.model;

import io.tutti.engine.graph.RopeParameters;
import io.tutti.engine.graph.RopeScaling;
import java.util.List;

/**
 * Rotary positions: what the frequencies follow from, and how far they reach.
 *
 * @param theta the base of the frequencies, config.json's rope_theta
 * @param scaling how the frequencies that follow from {@code theta} are scaled
 * @param notes on what of the file is ignored
 */
public record Rotary(double theta, RopeScaling scaling, Context context, List<String> notes) {

    public Rotary {
        notes = List.copyOf(notes);
    }

    /** Frequencies that follow from {@code theta} alone. */
    public Rotary(double theta, int positions) {
        this(theta, RopeScaling.NONE, new Context(positions), List.of());
    }

    RopeParameters parameters(int headDim) {
        return new RopeParameters(headDim, theta, scaling);
    }
}
