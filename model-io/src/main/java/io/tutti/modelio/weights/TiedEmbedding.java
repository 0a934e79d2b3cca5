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
 * What a file's tensors make of config.json's {@code tie_word_embeddings}, as in transformers 5: if both the embedding
 * and the output projection are there and differ, they are two; if one of the two is there, or they are equal, they are
 * one.
 *
 * @param config tied, or no longer
 * @param embedding the tensor that holds the embedding
 * @param note what there is to tell about it
 */
record TiedEmbedding(ModelConfig config, String embedding, Optional<String> note) {
    static final String EMBEDDING = "model.embed_tokens.weight";
    static final String OUTPUT_PROJECTION = "lm_head.weight";

    /**
     * Compares the two tensors, if {@code config} ties them and both are there: then both are read.
     *
     * @throws ModelException if the output projection is of a type that is no weight's, so that it cannot be compared
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

    /** Whether a tensor is the output projection that the embedding stands for. */
    boolean isShadowed(TensorInfo tensor, Checkpoint checkpoint) {
        return config.tieWordEmbeddings()
                && tensor.name().equals(OUTPUT_PROJECTION)
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
