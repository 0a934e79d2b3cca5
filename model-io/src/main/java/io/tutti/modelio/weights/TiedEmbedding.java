package io.tutti.modelio.weights;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.ModelConfig;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.safetensors.Checkpoint;
import io.tutti.modelio.safetensors.TensorInfo;
import io.tutti.modelio.safetensors.TensorWindow;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Whether a model's output projection is its embedding, as in transformers 5. Where config.json ties the two
 * ({@code tie_word_embeddings}), they are one tensor, unless the file holds both and they differ.
 *
 * @param config config.json's, untied if the two differ
 * @param embedding the name of the tensor that holds the embedding
 * @param note what to tell the user, if the file holds something else than a tied model's usually does
 */
record TiedEmbedding(ModelConfig config, String embedding, Optional<String> note) {
    static final String EMBEDDING = "model.embed_tokens.weight";
    static final String OUTPUT_PROJECTION = "lm_head.weight";

    /**
     * Looks at the tensors in {@code checkpoint}. If {@code config} ties the two and both are there, it reads and compares
     * all their values.
     *
     * @throws ModelException if one of them cannot be compared, because its type is no weight's
     */
    static TiedEmbedding of(Checkpoint checkpoint, ModelConfig config) {
        if (!config.tieWordEmbeddings() || !checkpoint.contains(OUTPUT_PROJECTION)) {
            return new TiedEmbedding(config, EMBEDDING, Optional.empty());
        }
        if (!checkpoint.contains(EMBEDDING)) {
            return new TiedEmbedding(
                    config,
                    OUTPUT_PROJECTION,
                    Optional.of("the weights have no " + EMBEDDING + ": " + OUTPUT_PROJECTION
                            + ", to which config.json ties it (tie_word_embeddings), stands for it"));
        }
        TensorInfo head = checkpoint.tensor(OUTPUT_PROJECTION);
        List<Long> shape = List.of((long) config.vocabSize(), (long) config.hiddenSize());
        boolean fits = shape.equals(head.shape())
                && shape.equals(checkpoint.tensor(EMBEDDING).shape());
        if (!fits || areEqual(checkpoint, config)) {
            return new TiedEmbedding(config, EMBEDDING, Optional.empty());
        }
        return new TiedEmbedding(
                config.untied(),
                EMBEDDING,
                Optional.of(OUTPUT_PROJECTION + " differs from the embedding, so it makes the logits, although"
                        + " config.json ties the two (tie_word_embeddings)"));
    }

    /** Whether a tensor is an output projection that is not kept, because the embedding beside it has its values. */
    boolean isShadowed(TensorInfo tensor, Checkpoint checkpoint) {
        return config.tieWordEmbeddings()
                && tensor.name().equals(OUTPUT_PROJECTION)
                && !tensor.name().equals(embedding)
                && tensor.shape().equals(checkpoint.tensor(embedding).shape());
    }

    private static boolean areEqual(Checkpoint checkpoint, ModelConfig config) {
        TensorInfo embedding = requireWeight(checkpoint.tensor(EMBEDDING));
        TensorInfo head = requireWeight(checkpoint.tensor(OUTPUT_PROJECTION));
        try (TensorWindow left = checkpoint.map(EMBEDDING);
                TensorWindow right = checkpoint.map(OUTPUT_PROJECTION)) {
            return embedding.dtype() == head.dtype()
                    ? left.data().mismatch(right.data()) < 0
                    : haveEqualValues(left, embedding.dtype(), right, head.dtype(), config);
        }
    }

    private static boolean haveEqualValues(
            TensorWindow left, Dtype leftType, TensorWindow right, Dtype rightType, ModelConfig config) {
        int cols = config.hiddenSize();
        float[] leftRow = new float[cols];
        float[] rightRow = new float[cols];
        for (int row = 0; row < config.vocabSize(); row++) {
            Floats.widen(left.data(), leftType, (long) row * cols, leftRow, 0, cols);
            Floats.widen(right.data(), rightType, (long) row * cols, rightRow, 0, cols);
            if (!Arrays.equals(leftRow, rightRow)) {
                return false;
            }
        }
        return true;
    }

    /** A tensor of a type that can be read as weights. */
    static TensorInfo requireWeight(TensorInfo tensor) {
        if (!tensor.dtype().isWeight()) {
            throw ModelException.of(
                    tensor.file(),
                    "tensor " + ModelException.quote(tensor.name()) + " is " + tensor.dtype()
                            + "; accepted: F32, F16, BF16");
        }
        return tensor;
    }
}
