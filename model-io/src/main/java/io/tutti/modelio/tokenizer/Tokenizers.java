package io.tutti.modelio.tokenizer;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.TextConfig;
import java.nio.file.Path;

/** Opens the tokenizer that a model names. */
public final class Tokenizers {
    private Tokenizers() {}

    /**
     * The tokenizer of the model in {@code dir}, as it was trained with.
     *
     * @throws ModelException as {@link #open(Path, TextConfig, LlamaPipeline)}
     */
    public static Tokenizer open(Path dir, TextConfig config) {
        return open(dir, config, LlamaPipeline.LEGACY);
    }

    /**
     * The tokenizer of the model in {@code dir}. Nothing native is loaded before this call, so that tokens can be given
     * without one.
     *
     * @param pipeline counts only for models that it makes a difference for ({@link LlamaPipeline#isChoice})
     * @throws ModelException if the model has none, its files are malformed or cannot be merged, or this machine has no
     *     native library for it
     */
    public static Tokenizer open(Path dir, TextConfig config, LlamaPipeline pipeline) {
        return switch (config.tokenizer()) {
            case NONE ->
                throw ModelException.of(
                        dir, "has no tokenizer.json, which text needs; give token ids instead (--tokens)");
            case BYTE -> ByteTokenizer.of(dir, config.vocabSize());
            case HUGGING_FACE ->
                HuggingFaceTokenizer.open(dir.resolve(TokenizerFile.NAME), config.vocabSize(), pipeline);
        };
    }
}
