package io.tutti.modelio.weights;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.safetensors.Checkpoint;
import io.tutti.modelio.safetensors.TensorInfo;
import io.tutti.modelio.safetensors.TensorWindow;
import java.util.Arrays;
import java.util.Optional;

/**
 * Whether a model's output projection is its embedding, as in transformers 5. Where config.json ties the two
 * ({@code tie_word_embeddings}), they are one tensor, unless the file holds both and they differ.
 *
 * @param names of the two
 * @param isTied whether they are one tensor
 * @param embedding the name of the tensor that holds the embedding
 * @param note what to tell the user, if the file holds something else than a tied model's usually does
 */
public record TiedHead(Names names, boolean isTied, String embedding, Optional<String> note) {

    /**
     * What the graph calls the two.
     *
     * @param embedding the embedding's name
     * @param head the output projection's name if it is a tensor of its own
     * @param tied whether config.json ties them
     */
    public record Names(String embedding, String head, boolean tied) {}

    /**
     * Looks at the tensors in {@code checkpoint}. If config.json ties the two and both are there, it reads and compares all
     * their values.
     *
     * @throws ModelException if one of them cannot be compared, because its type is no weight's
     */
    static TiedHead of(Checkpoint checkpoint, Names names) {
        if (!names.tied() || !checkpoint.contains(names.head())) {
            return new TiedHead(names, names.tied(), names.embedding(), Optional.empty());
        }
        if (!checkpoint.contains(names.embedding())) {
            return new TiedHead(
                    names,
                    true,
                    names.head(),
                    Optional.of("the weights have no " + names.embedding() + ": " + names.head()
                            + ", to which config.json ties it (tie_word_embeddings), stands for it"));
        }
        TensorInfo embedding = checkpoint.tensor(names.embedding());
        TensorInfo head = checkpoint.tensor(names.head());
        boolean comparable = isMatrix(head) && head.shape().equals(embedding.shape());
        if (!comparable || areEqual(checkpoint, requireWeight(embedding), requireWeight(head))) {
            return new TiedHead(names, true, names.embedding(), Optional.empty());
        }
        return new TiedHead(
                names,
                false,
                names.embedding(),
                Optional.of(names.head() + " differs from the embedding, so it makes the logits, although"
                        + " config.json ties the two (tie_word_embeddings)"));
    }

    /** Whether a tensor is an output projection that is not kept, because the embedding beside it has its values. */
    boolean isShadowed(TensorInfo tensor, Checkpoint checkpoint) {
        return isTied
                && tensor.name().equals(names.head())
                && !tensor.name().equals(embedding)
                && tensor.shape().equals(checkpoint.tensor(embedding).shape());
    }

    private static boolean isMatrix(TensorInfo tensor) {
        return tensor.shape().size() == 2
                && tensor.shape().stream().allMatch(size -> size >= 1 && size <= Integer.MAX_VALUE);
    }

    private static boolean areEqual(Checkpoint checkpoint, TensorInfo embedding, TensorInfo head) {
        try (TensorWindow left = checkpoint.map(embedding.name());
                TensorWindow right = checkpoint.map(head.name())) {
            return embedding.dtype() == head.dtype()
                    ? left.data().mismatch(right.data()) < 0
                    : haveEqualValues(left, embedding, right, head);
        }
    }

    private static boolean haveEqualValues(
            TensorWindow left, TensorInfo embedding, TensorWindow right, TensorInfo head) {
        long rows = head.shape().getFirst();
        int cols = Math.toIntExact(head.shape().getLast());
        float[] leftRow = new float[cols];
        float[] rightRow = new float[cols];
        for (long row = 0; row < rows; row++) {
            Floats.widen(left.data(), embedding.dtype(), row * cols, leftRow, 0, cols);
            Floats.widen(right.data(), head.dtype(), row * cols, rightRow, 0, cols);
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
