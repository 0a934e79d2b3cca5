package io.tutti.modelio.tokenizer;

import io.tutti.modelio.config.TextConfig;
import io.tutti.modelio.config.TokenizerKind;
import java.nio.file.Path;

/** What a run on token ids does: it reads the config and opens no tokenizer. */
final class TokensOnly {
    private TokensOnly() {}

    public static void main(String[] args) {
        if (TextConfig.load(Path.of(args[0])).tokenizer() != TokenizerKind.HUGGING_FACE) {
            throw new IllegalStateException("the model should have a tokenizer");
        }
    }
}
