package io.tutti.engine.graph;

/**
 * What RoPE's angles follow from.
 *
 * @param headDim D, even
 * @param theta the base of the frequencies, config.json's rope_theta
 * @param scaling what becomes of the frequencies
 */
public record RopeParameters(int headDim, double theta, RopeScaling scaling) {

    public RopeParameters {
        if (headDim < 2 || headDim % 2 != 0) {
            throw new IllegalArgumentException("RoPE needs an even head size, not " + headDim);
        }
    }

    /** Frequencies as they follow from {@code theta} alone. */
    public RopeParameters(int headDim, double theta) {
        this(headDim, theta, RopeScaling.NONE);
    }
}
