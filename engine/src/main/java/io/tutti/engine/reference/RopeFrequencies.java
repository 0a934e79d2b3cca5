package io.tutti.engine.reference;

import io.tutti.engine.graph.RopeParameters;
import io.tutti.engine.graph.RopeScaling;
import io.tutti.engine.graph.RopeScaling.Llama3;
import io.tutti.engine.graph.RopeScaling.Yarn;

/**
 * The frequencies of RoPE's pairs, by kind of scaling. The steps and their roundings to f32 are those of
 * {@code modeling_rope_utils.py} of Hugging Face's transformers, where a number divided by a tensor is the tensor's reciprocal
 * times the number.
 */
public final class RopeFrequencies {

    private RopeFrequencies() {}

    /** By how much each pair's angle grows from a position to the next, {@code [headDim / 2]}. */
    public static float[] of(RopeParameters rope) {
        float[] bases = bases(rope);
        float[] frequencies = new float[bases.length];
        for (int i = 0; i < bases.length; i++) {
            float f = 1f / bases[i];
            frequencies[i] = switch (rope.scaling()) {
                case RopeScaling.Default _ -> f;
                case RopeScaling.Linear linear -> f / (float) linear.factor();
                case Llama3 llama3 -> llama3(f, llama3);
                case Yarn yarn -> yarn(bases[i], ramp(i, rope, yarn), yarn);
            };
        }
        return frequencies;
    }

    /** What cosines and sines are multiplied by. */
    public static float attentionFactor(RopeScaling scaling) {
        return scaling instanceof Yarn yarn ? (float) yarn.attentionFactor() : 1f;
    }

    /** {@code theta^(2i / headDim)} for each pair i. */
    private static float[] bases(RopeParameters rope) {
        float[] bases = new float[rope.headDim() / 2];
        for (int i = 0; i < bases.length; i++) {
            float exponent = (float) (2 * i) / (float) rope.headDim();
            bases[i] = (float) StrictMath.pow(rope.theta(), exponent);
        }
        return bases;
    }

    private static float llama3(float f, Llama3 scaling) {
        double context = scaling.originalMaxPositionEmbeddings();
        float factor = (float) scaling.factor();
        float wavelength = 1f / f * (float) (2 * Math.PI);
        if (wavelength < (float) (context / scaling.highFreqFactor())) {
            return f;
        }
        if (wavelength > (float) (context / scaling.lowFreqFactor())) {
            return f / factor;
        }
        float turns = 1f / wavelength * (float) context;
        float kept = (turns - (float) scaling.lowFreqFactor())
                / (float) (scaling.highFreqFactor() - scaling.lowFreqFactor());
        return (1f - kept) * f / factor + kept * f;
    }

    /** @param ramp 0 where the frequency is kept, 1 where it is divided */
    private static float yarn(float base, float ramp, Yarn scaling) {
        float extrapolated = 1f / base;
        float interpolated = 1f / ((float) scaling.factor() * base);
        float kept = 1f - ramp;
        return interpolated * (1f - kept) + extrapolated * kept;
    }

    private static float ramp(int pair, RopeParameters rope, Yarn scaling) {
        double low = pairOf(scaling.betaFast(), rope, scaling);
        double high = pairOf(scaling.betaSlow(), rope, scaling);
        if (scaling.truncate()) {
            low = Math.floor(low);
            high = Math.ceil(high);
        }
        low = Math.max(low, 0);
        high = Math.min(high, rope.headDim() - 1);
        if (low == high) {
            high += 0.001;
        }
        return Math.clamp(((float) pair - (float) low) / (float) (high - low), 0f, 1f);
    }

    /** The pair, in fractions, that turns so many times within the original context. */
    private static double pairOf(double turns, RopeParameters rope, Yarn scaling) {
        double wavelength = scaling.originalMaxPositionEmbeddings() / (turns * 2 * Math.PI);
        return rope.headDim() * StrictMath.log(wavelength) / (2 * StrictMath.log(rope.theta()));
    }
}
