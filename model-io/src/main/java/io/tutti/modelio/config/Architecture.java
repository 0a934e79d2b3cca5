package io.tutti.modelio.config;

/** The model families that Tutti runs. */
public enum Architecture {
    /** Llama: RMSNorm, rotary positions, grouped-query attention, SwiGLU. */
    LLAMA,
    /** A table of logits, one row for each previous token. */
    BIGRAM
}
