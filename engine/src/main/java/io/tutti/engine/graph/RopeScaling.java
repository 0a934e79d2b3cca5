package io.tutti.engine.graph;

/**
 * How a model's rotary positions differ from those of {@code rope_theta} alone. The kinds are config.json's own: those
 * whose frequencies are the same for every length, so that a key that was cached stays right.
 */
public sealed interface RopeScaling {

    /** The frequencies of {@code rope_theta} as they are. */
    RopeScaling NONE = new Default();

    /** config.json's name of the kind. */
    String ropeType();

    /** The positions that {@code original} ones become, rounded down: {@code factor} times as many. */
    static int stretched(int original, double factor) {
        return (int) Math.min(Integer.MAX_VALUE, Math.floor(original * factor));
    }

    /** No scaling. */
    record Default() implements RopeScaling {
        @Override
        public String ropeType() {
            return "default";
        }
    }

    /** Position interpolation (Chen et al. 2023, arXiv 2306.15595): all frequencies divided by {@code factor}. */
    record Linear(double factor) implements RopeScaling {
        @Override
        public String ropeType() {
            return "linear";
        }
    }

    /**
     * Llama 3.1's: low frequencies divided by {@code factor}, high ones kept, those between blended (Grattafiori et al.
     * 2024, arXiv 2407.21783).
     *
     * @param lowFreqFactor a wavelength longer than the original context over this is scaled
     * @param highFreqFactor a wavelength shorter than the original context over this is kept; larger than lowFreqFactor
     */
    record Llama3(double factor, double lowFreqFactor, double highFreqFactor, int originalMaxPositionEmbeddings)
            implements RopeScaling {
        @Override
        public String ropeType() {
            return "llama3";
        }
    }

    /**
     * YaRN (Peng et al. 2023, arXiv 2309.00071): a ramp over the pairs, from frequencies that are kept to frequencies
     * divided by {@code factor}.
     *
     * @param attentionFactor what cosines and sines are multiplied by; config.json's, or what follows from its other keys
     * @param betaFast turns within the original context at which the ramp begins
     * @param betaSlow turns at which it ends
     * @param truncate whether the ramp's ends are whole pairs
     */
    record Yarn(
            double factor,
            double attentionFactor,
            double betaFast,
            double betaSlow,
            int originalMaxPositionEmbeddings,
            boolean truncate)
            implements RopeScaling {
        @Override
        public String ropeType() {
            return "yarn";
        }
    }
}
