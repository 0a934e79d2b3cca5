package io.tutti.modelio.tokenizer;

import io.tutti.modelio.config.ConfigFile;
import io.tutti.modelio.config.TextConfig;
import io.tutti.modelio.config.TokenizerKind;
import io.tutti.modelio.files.PlainFile;
import io.tutti.modelio.json.PlainJson;
import io.tutti.modelio.json.StrictJson;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;

/**
 * How a {@code LlamaTokenizer} treats a text before and after its vocabulary, where transformers 4 and 5 differ.
 * golden/spec/tokenizer.md says how.
 */
public enum LlamaPipeline {
    /** What tokenizer.json says, as in transformers 4, with which these models were trained. */
    LEGACY,
    /** What transformers 5 puts in its place: a space before the text's first word only, unless there is one. */
    REBUILT;

    private static final String TOKENIZER_CLASS = "LlamaTokenizer";
    private static final String BYTE_LEVEL = "\"ByteLevel\"";
    private static final int LONGEST_CONFIG = 1 << 20;
    /** The model types whose tokenizer transformers 5 builds anew. */
    private static final Set<String> MODEL_TYPES = Set.of("llama", "qwen3");

    /**
     * Whether the two differ for the model in {@code dir}: whether transformers 5 builds a tokenizer of its own for it.
     *
     * @throws io.tutti.modelio.ModelException if a file that decides it cannot be read
     */
    public static boolean isChoice(Path dir, TextConfig config) {
        if (config.tokenizer() != TokenizerKind.HUGGING_FACE || !MODEL_TYPES.contains(config.modelType())) {
            return false;
        }
        Object named = TokenFiles.read(dir).config().get(TokenFiles.TOKENIZER_CLASS);
        Object tokenizer = named == null || named.equals("") ? classOfConfig(dir) : named;
        return tokenizer instanceof String name
                && name.replaceFirst("Fast$", "").equals(TOKENIZER_CLASS)
                && !mentionsByteLevel(dir.resolve(TokenizerFile.NAME));
    }

    /** Looks for the text anywhere in the file, as transformers 5 does. */
    private static boolean mentionsByteLevel(Path tokenizer) {
        byte[] bytes = StrictJson.readBytes(tokenizer, TokenizerFile.LONGEST);
        return new String(bytes, StandardCharsets.UTF_8).contains(BYTE_LEVEL);
    }

    private static Object classOfConfig(Path dir) {
        Path file = dir.resolve(ConfigFile.NAME);
        return PlainFile.isThere(file)
                ? PlainJson.object(
                                file,
                                StrictJson.readBytes(file, LONGEST_CONFIG),
                                key -> key.equals(TokenFiles.TOKENIZER_CLASS))
                        .get(TokenFiles.TOKENIZER_CLASS)
                : null;
    }
}
