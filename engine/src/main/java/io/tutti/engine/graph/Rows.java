package io.tutti.engine.graph;

/** What a row of a {@link Buffer} stands for. */
public enum Rows {
    /** One row for each new token of the step, in batch order. */
    TOKENS,
    /** One row for each token whose logits were asked for, in batch order. */
    OUTPUTS
}
