package io.tutti.runtime;

/** How an embedding comes of the hidden states of a text's tokens. */
public enum Pooling {
    /** Their mean. */
    MEAN,
    /** The last token's. */
    LAST
}
