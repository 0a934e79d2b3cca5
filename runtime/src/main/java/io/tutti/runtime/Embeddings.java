package io.tutti.runtime;

/** Embeddings of hidden states. */
final class Embeddings {

    private Embeddings() {}

    /**
     * One vector of length 1, {@code [E]}. Sums are f64, in ascending order of tokens and of dimensions; each number is rounded
     * to f32 once, at the end.
     *
     * @param states {@code [tokens, E]}
     */
    static float[] pool(float[] states, int tokens, Pooling pooling) {
        int width = states.length / tokens;
        double[] sums = new double[width];
        int first = switch (pooling) {
            case MEAN -> 0;
            case LAST -> tokens - 1;
        };
        for (int t = first; t < tokens; t++) {
            for (int e = 0; e < width; e++) {
                sums[e] += states[t * width + e];
            }
        }
        double squares = 0;
        for (double sum : sums) {
            squares += sum * sum;
        }
        double length = Math.sqrt(squares);
        float[] embedding = new float[width];
        for (int e = 0; e < width; e++) {
            embedding[e] = length == 0 ? 0 : (float) (sums[e] / length);
        }
        return embedding;
    }
}
