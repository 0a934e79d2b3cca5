package io.tutti.engine.graph;

/**
 * What RoPE's angles follow from.
 *
 * @param headDim D, even
 * @param theta the base of the frequencies, config.json's rope_theta
 */
public record RopeParameters(int headDim, double theta) {

    public RopeParameters {
        if (headDim < 2 || headDim % 2 != 0) {
            throw new IllegalArgumentException("RoPE needs an even head size, not " + headDim);
        }
    }
}
