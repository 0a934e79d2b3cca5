package io.tutti.modelio.config;

import java.util.OptionalInt;

/**
 * In what the layers of a Llama's relatives differ from a plain Llama's.
 *
 * @param queryKeyValueBias whether q_proj, k_proj and v_proj have biases
 * @param outputBias whether o_proj has one
 * @param mlpBias whether gate_proj, up_proj and down_proj have biases
 * @param headNorms whether each head of queries and keys is normalized before it is rotated
 * @param slidingWindow positions that a query sees, its own included; all before it if empty
 */
public record LayerVariant(
        boolean queryKeyValueBias, boolean outputBias, boolean mlpBias, boolean headNorms, OptionalInt slidingWindow) {

    /** A plain Llama's layers. */
    public static final LayerVariant PLAIN = new LayerVariant(false, false, false, false, OptionalInt.empty());
}
