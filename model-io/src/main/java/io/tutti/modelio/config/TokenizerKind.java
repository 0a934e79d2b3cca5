package io.tutti.modelio.config;

/** How a model's text becomes token ids. */
public enum TokenizerKind {
    /** The directory has no tokenizer: tokens only. */
    NONE,
    /** Token ids 0 to 255 are the bytes of UTF-8 text. */
    BYTE,
    /** tokenizer.json, as Hugging Face's tokenizers library reads it. */
    HUGGING_FACE
}
